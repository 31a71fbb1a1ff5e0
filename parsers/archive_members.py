"""The inside of zipped and tarred profiles: what lies there, and members of it taken out into a private folder.

Nothing of an archive is believed: names that lead out of it, members that grow beyond measure and sizes that are not
true refuse the whole archive with a sentence. Links and devices in it are passed over.
"""

from __future__ import annotations

import contextlib
import functools
import lzma
import re
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from npuscope.parsers.archives import is_compressed_tar
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.say import ParseError, Problem, say

MOST_MEMBERS = 200_000
MOST_BYTES = 8 << 30  # taken out of one archive
MOST_RATIO = 250  # of text a deflater makes a tenth or a thirtieth
RATIO_FROM_BYTES = 64 << 20
SPARED_BYTES = 256 << 20  # of the disk the private folder lies on, for others
HEAD_BYTES = 64 << 10  # what is read of a member while an archive is listed
HEADS_BYTES = 16 << 20  # and of all of them
_COPY_BYTES = 1 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError,
    RuntimeError, ValueError, OverflowError, IndexError, KeyError, TypeError,
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """A file of an archive: its path in it, bytes and last change (Unix seconds, 0 = not known)."""

    name: str
    size: int
    changed_at: float = 0.0
    head: bytes = b""


def members(path: Path, heads: re.Pattern[str] | None = None) -> tuple[Member, ...]:
    """The files of an archive; small ones whose path matches `heads` with their content, as `head`.

    Raises ParseError: damaged, locked by a password, unsafe, or too many.
    """
    listed: list[Member] = []
    room = HEADS_BYTES
    with _read(path), contextlib.ExitStack() as stack:
        for found in _members(path, stack):
            member = found.member
            if heads is not None and member.size <= min(room, HEAD_BYTES) and heads.fullmatch(member.name):
                member = replace(member, head=_head(found))
                room -= len(member.head)
            listed.append(member)
            if len(listed) > MOST_MEMBERS:
                raise _refused(path, "too-many", most=MOST_MEMBERS)
    return tuple(listed)


def _head(found: _Found) -> bytes:
    """All of a small member; nothing of one that is damaged: the archive is listed all the same."""
    try:
        source = found.open()
        if source is None:
            return b""
        with source:
            return source.read(found.member.size)
    except (OSError, *_BROKEN):
        return b""


@contextlib.contextmanager
def unpacked(
    path: Path, wanted: Callable[[Member], bool], progress: Callable[[float], None] | None = None
) -> Iterator[Path]:
    """The wanted members of an archive in a private folder that is gone afterwards.

    Raises ParseError.
    """
    with contextlib.ExitStack() as gone:
        folder = Path(tempfile.mkdtemp(prefix="npuscope-"))
        gone.callback(shutil.rmtree, folder, ignore_errors=True)
        with _read(path), contextlib.ExitStack() as stack:
            _take(path, folder, wanted, progress, stack)
        yield folder


def _take(
    path: Path,
    folder: Path,
    wanted: Callable[[Member], bool],
    progress: Callable[[float], None] | None,
    stack: contextlib.ExitStack,
) -> None:
    room = min(MOST_BYTES, shutil.disk_usage(folder).free - SPARED_BYTES)
    for found in _members(path, stack):
        member = found.member
        if progress is not None:
            progress(found.share)
        if not wanted(member):
            continue
        if member.size > room:
            raise _refused(path, "too-large", size=member.size, room=max(0, room), name=member.name)
        source = found.open()
        if source is not None:
            target = folder / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            with source, target.open("wb") as out:
                room -= _copied(path, source, out, member)


def _copied(path: Path, source: IO[bytes], out: IO[bytes], member: Member) -> int:
    """Copy a member, never more of it than it says it has."""
    copied = 0
    while block := source.read(_COPY_BYTES):
        copied += len(block)
        if copied > member.size:
            raise _refused(path, "untrue", name=member.name)
        out.write(block)
    return copied


@dataclass(frozen=True)
class _Found:
    """A member, how to open it (as long as the archive stands there), and how far the archive was read, 0 to 1."""

    member: Member
    open: Callable[[], IO[bytes] | None]
    share: float


def _members(path: Path, stack: contextlib.ExitStack) -> Iterator[_Found]:
    if path.name.casefold().endswith(".zip"):
        yield from _of_zip(path, stack.enter_context(zipfile.ZipFile(path)))
        return
    handle = stack.enter_context(path.open("rb"))
    # as a stream: a compressed tar is read once, in order
    archive = stack.enter_context(tarfile.open(fileobj=handle, mode="r|*"))  # noqa: SIM115 the stack closes it
    yield from _of_tar(path, archive, handle)


def _of_zip(path: Path, archive: zipfile.ZipFile) -> Iterator[_Found]:
    entries = archive.infolist()
    for number, entry in enumerate(entries):
        name = _safe(path, entry.filename)
        if not name or entry.is_dir():
            continue
        if entry.flag_bits & 1:
            raise _refused(path, "locked", name=name)
        if entry.file_size > RATIO_FROM_BYTES and entry.file_size > MOST_RATIO * max(1, entry.compress_size):
            raise _refused(path, "bomb", name=name, size=entry.file_size, packed=entry.compress_size)
        member = Member(name, entry.file_size, _moment(entry.date_time))
        yield _Found(member, functools.partial(archive.open, entry), number / len(entries))


def _of_tar(path: Path, archive: tarfile.TarFile, handle: IO[bytes]) -> Iterator[_Found]:
    packed, unfolded = path.stat().st_size, 0
    for entry in archive:
        name = _safe(path, entry.name)
        unfolded += entry.size
        if is_compressed_tar(path) and unfolded > max(RATIO_FROM_BYTES, MOST_RATIO * packed):
            raise _refused(path, "bomb", name=name, size=unfolded, packed=packed)
        if entry.isfile() and name:
            member = Member(name, entry.size, float(entry.mtime))
            yield _Found(member, functools.partial(archive.extractfile, entry), handle.tell() / max(1, packed))


def _moment(parts: tuple[int, int, int, int, int, int]) -> float:
    try:
        return datetime(*parts).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _safe(path: Path, name: str) -> str:
    """The path of a member below the archive. Raises ParseError when it leads anywhere else."""
    plain = name.replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if plain.startswith("/") or ".." in parts or _DRIVE.match(plain) or "\0" in plain:
        raise _refused(path, "unsafe", name=name)
    return "/".join(part for part in parts if part != ".")


@contextlib.contextmanager
def _read(path: Path) -> Iterator[None]:
    """What goes wrong inside as a ParseError."""
    try:
        yield
    except OSError as error:
        raise refusal(str(path), error) from None
    except _BROKEN as error:
        raise _refused(path, "damaged", reason=str(error) or type(error).__name__) from None


def _refused(path: Path, why: str, **params: Any) -> ParseError:
    text = say(f"files.problem.archive.{why}", file=path.name, **params)
    return ParseError(Problem("damaged" if why == "damaged" else f"archive-{why}", text, file=str(path)))
