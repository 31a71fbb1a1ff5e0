"""A profiler database opened so that nothing is ever written beside it, and its failures as problems."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from npuscope.parsers.csv_text import refusal
from npuscope.parsers.say import ParseError, Problem, say

BUSY_S = 0.3
COPIES = 3  # of a database that changes on the way
_MAGIC = b"SQLite format 3\0"
_WRITE_VERSION = 18  # byte of the header: 2 = write-ahead log
_LOG_HEADER = 32  # bytes; its salts are new each time the log begins anew


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection. Raises ParseError: empty, no database, in use, damaged, no permission."""
    logged = _header(path)[_WRITE_VERSION] == 2
    with contextlib.ExitStack() as stack:
        try:
            before = _state(path)
            connection = _connect(path, logged, stack)
            stack.callback(connection.close)
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield connection
            if (
                logged and not before[2] and _state(path)[:2] != before[:2]
            ):  # read without a lock, and written meanwhile
                raise sqlite3.OperationalError("database is locked")
        except sqlite3.Error as error:
            raise ParseError(_problem(path, error)) from None
        except UnicodeDecodeError as error:  # sqlite quotes a schema that is no text
            raise ParseError(_problem(path, sqlite3.DatabaseError(error.reason))) from None
        except OSError as error:
            raise refusal(str(path), error) from None


def tables_of(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Column names by table or view."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    return {name: columns_of(connection, name) for name in names}


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """Column names of one table."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({quoted(table)})")]


def quoted(name: str) -> str:
    """A name of a table or column as SQL."""
    return '"' + name.replace('"', '""') + '"'


def select(table: str, columns: Sequence[str], most: int) -> str:
    """The first rows of these columns by their names: `*` also has those that other programs compute."""
    return f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)} LIMIT {most}"


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as handle:
            header = handle.read(100)
    except OSError as error:
        raise refusal(str(path), error) from None
    if not header:
        raise ParseError(Problem("empty-file", say("profiles.problem.empty-file", file=path.name), file=str(path)))
    if not header.startswith(_MAGIC) or len(header) < 100:
        text = say("profiles.problem.not-a-database", file=path.name)
        raise ParseError(Problem("not-a-database", text, say("profiles.hint.not-a-database"), str(path)))
    return header


def _connect(path: Path, logged: bool, stack: contextlib.ExitStack) -> sqlite3.Connection:
    """With a write-ahead log even a reader writes beside the database: such a one is read as it lies, or copied."""
    if logged and _log(path).exists() and _log(path).stat().st_size:
        return sqlite3.connect(_copied(path, stack), timeout=BUSY_S)
    options = "mode=ro&immutable=1" if logged else "mode=ro"
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{options}", uri=True, timeout=BUSY_S)


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _state(path: Path) -> tuple[int, int, bytes]:
    """What changes when a log is brought into its database or begun anew, and not when it grows."""
    found = path.stat()
    try:
        with _log(path).open("rb") as log:
            salts = log.read(_LOG_HEADER)
    except FileNotFoundError:
        salts = b""
    return found.st_size, found.st_mtime_ns, salts


def _copied(path: Path, stack: contextlib.ExitStack) -> Path:
    """Database and log as they were at one moment, though another process writes."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="npuscope-")))
    copy = folder / path.name
    for _ in range(COPIES):
        before = _state(path)
        shutil.copyfile(path, copy)
        with contextlib.suppress(FileNotFoundError):  # brought into the database meanwhile
            shutil.copyfile(_log(path), _log(copy))
        if _state(path) == before:
            return copy
    raise sqlite3.OperationalError("database is locked")


def _problem(path: Path, error: sqlite3.Error) -> Problem:
    words = str(error)
    if "locked" in words or "busy" in words or path.with_name(path.name + "-journal").exists():
        text = say("profiles.problem.locked", file=path.name)
        return Problem("locked", text, say("profiles.hint.locked"), str(path))
    if "not a database" in words:
        text = say("profiles.problem.not-a-database", file=path.name)
        return Problem("not-a-database", text, say("profiles.hint.not-a-database"), str(path))
    return Problem("damaged", say("profiles.problem.database", file=path.name, reason=words), file=str(path))
