"""visualize_data.bin of `msprof op`: what the vendor's viewer shows about one launch.

The file is a row of blocks: u64 length of the content, u8 type, u8 bytes of filling at its end, u8 version (0x5A where
there is none), u8 0x5A, content. A block of source code has a path of 4096 bytes between head and content. The content
of the types read here is JSON.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from npuscope.parsers.columns import number_cell
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.json_text import loads
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Strings, Table

NAME = "visualize_data.bin"
MAX_FILE = 1 << 30
MAX_CONTENT = 32 << 20  # a larger block is passed over
MAX_BLOCKS = 10_000
MAX_ADVICE = 200

_HEAD = struct.Struct("<QBBBB")
_SIGN = 0x5A
_FILLING = 4
_CODE, _CODE_PATH = 1, 4096
OPERATOR, LOAD_SHARES, MEMORY_MAP, PER_BLOCK, OCCUPANCY, ROOFLINE, CACHE_LINES = 5, 6, 8, 9, 12, 13, 14
_READ = frozenset({OPERATOR, LOAD_SHARES, MEMORY_MAP, PER_BLOCK, OCCUPANCY, ROOFLINE})
_KINDS = {OCCUPANCY: "occupancy", ROOFLINE: "roofline"}


@dataclass(frozen=True)
class Advice:
    """One sentence as it stands in the file; kind = advice, occupancy or roofline; blocks it is said of (0 = all)."""

    text: str
    kind: str = "advice"
    blocks: int = 0


@dataclass(frozen=True)
class Visualized:
    """One launch. Tables are None where the file has no such block:

    blocks      block, sub_block (text), time_us: the cores' times
    load        block, sub_block (text), name (text), pct: share of the core's cycles that computed
    memory      block, l2_hits, l2_misses, l2_hit_pct, and one <n>_gbps per memory path number of the file
    cachelines  line, hits, misses: lines of L2 that were touched
    `types` counts the blocks of each type, those that were passed over included.
    """

    name: str | None = None
    soc: str | None = None
    duration_us: float = math.nan
    blocks: Table | None = None
    load: Table | None = None
    memory: Table | None = None
    cachelines: Table | None = None
    advice: tuple[Advice, ...] = ()
    types: tuple[tuple[int, int], ...] = ()


def read(path: str, cachelines: bool = False) -> Visualized:
    """Read a visualize_data.bin; the records of cache lines (most of the file) only when asked for.

    Raises ParseError when it cannot be opened, is cut, or is no such file.
    """
    wanted = _READ | {CACHE_LINES} if cachelines else _READ
    try:
        size = Path(path).stat().st_size
        with Path(path).open("rb") as file:
            contents = list(_contents(file, path, size, wanted))
    except OSError as error:
        raise refusal(path, error) from None
    found = Visualized()
    counts: dict[int, int] = {}
    for kind, content in contents:
        counts[kind] = counts.get(kind, 0) + 1
        if content is not None:
            found = _with(found, kind, _object(content, path))
    return replace(found, types=tuple(sorted(counts.items())), advice=_merged(found.advice))


def _contents(file: IO[bytes], path: str, size: int, wanted: frozenset[int]) -> Iterator[tuple[int, bytes | None]]:
    if not size:
        raise ParseError(Problem("empty-file", say("profiles.problem.empty-file", file=NAME), file=path))
    if size > MAX_FILE:
        raise _damaged(path, 0)
    at = 0
    for _ in range(MAX_BLOCKS):
        if at == size:
            return
        file.seek(at)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise _damaged(path, at)
        length, kind, filling, _version, sign = _HEAD.unpack(head)
        start = at + _HEAD.size + (_CODE_PATH if kind == _CODE else 0)
        if sign != _SIGN or filling >= _FILLING or filling > length or not kind or start + length > size:
            raise _damaged(path, at)
        at = start + length
        content = None
        if kind in wanted and length <= MAX_CONTENT:
            file.seek(start)
            content = file.read(length - filling)
        yield kind, content
    raise _damaged(path, at)


def _damaged(path: str, at: int) -> ParseError:
    return ParseError(Problem("damaged", say("opprof.problem.binary", file=NAME, at=at), file=path))


def _object(content: bytes, path: str) -> Mapping[str, Any]:
    try:
        found = loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _damaged(path, 0) from None
    if not isinstance(found, dict):
        raise _damaged(path, 0)
    return found


def _with(found: Visualized, kind: int, content: Mapping[str, Any]) -> Visualized:
    found = replace(found, advice=(*found.advice, *_advice(content.get("advice"), _KINDS.get(kind, "advice"), 0)))
    if kind == OPERATOR:
        return replace(
            found,
            name=_text(content.get("name")),
            soc=_text(content.get("soc")),
            duration_us=_number(content.get("duration")),
            blocks=_times(content.get("block_detail")) or found.blocks,
        )
    if kind == LOAD_SHARES:
        return replace(found, load=_load(_objects(content.get("subblock_detail"))) or found.load)
    if kind == CACHE_LINES:
        return replace(found, cachelines=_lines(_objects(content.get("Cacheline Records"))))
    if kind == MEMORY_MAP:
        cores = _objects(content.get("core_memory_map"))
        found = replace(found, memory=_memory(cores) or found.memory)
    else:
        cores = _objects(content.get("table_per_block"))
    said = [one for core in cores for one in _advice(core.get("advice"), "advice", 1)]
    return replace(found, advice=(*found.advice, *said))


def _advice(said: Any, kind: str, blocks: int) -> Iterator[Advice]:
    """Sentences of an `advice` entry: one text, a numbered list in one text, or a list of texts."""
    texts = said.splitlines() if isinstance(said, str) else said if isinstance(said, list) else []
    for text in texts:
        plain = without_number(text) if isinstance(text, str) else ""
        if plain and plain != "NA":
            yield Advice(plain, kind, blocks)


def without_number(line: str) -> str:
    """A line of a report without the blanks around it, its number `1)` and its full stop."""
    text = line.strip()
    number, bracket, rest = text.partition(")")
    if bracket and number.isdecimal():
        text = rest.strip()
    return text[:-1] if text.endswith(".") else text


def _merged(said: tuple[Advice, ...]) -> tuple[Advice, ...]:
    """Each sentence once, with the number of blocks it was said of."""
    counts: dict[tuple[str, str], int] = {}
    for one in said:
        key = (one.kind, one.text)
        counts[key] = counts.get(key, 0) + one.blocks
    return tuple(Advice(text, kind, blocks) for (kind, text), blocks in list(counts.items())[:MAX_ADVICE])


# ---- tables


def _times(detail: Any) -> Table | None:
    """`block_detail`: rows of block, core type and duration."""
    rows = [row.get("value") for row in _objects(detail.get("row"))] if isinstance(detail, dict) else []
    cells = [row for row in rows if isinstance(row, list) and len(row) >= 3]
    if not cells:
        return None
    return Table({
        "block": _integers(row[0] for row in cells),
        "sub_block": Strings.of(_text(row[1]) for row in cells),
        "time_us": np.array([_number(row[2]) for row in cells], dtype=np.float64),
    })  # fmt: skip


def _load(rows: list[Mapping[str, Any]]) -> Table | None:
    if not rows:
        return None
    return Table({
        "block": _integers(row.get("block_id") for row in rows),
        "sub_block": Strings.of(_text(row.get("block_type")) for row in rows),
        "name": Strings.of(_text(row.get("name")) for row in rows),
        "pct": np.array([_number(row.get("value")) for row in rows], dtype=np.float64),
    })  # fmt: skip


def _memory(rows: list[Mapping[str, Any]]) -> Table | None:
    if not rows:
        return None
    caches = [row["L2cache"] if isinstance(row.get("L2cache"), dict) else {} for row in rows]
    columns: dict[str, Any] = {"block": _integers(row.get("core_no") for row in rows)}
    for name, key in (("l2_hits", "hit"), ("l2_misses", "miss"), ("l2_hit_pct", "hit_ratio")):
        columns[name] = np.array([_number(cache.get(key)) for cache in caches], dtype=np.float64)
    routes = [{_integer(unit.get("memory_path")): unit for unit in _objects(row.get("memory_unit"))} for row in rows]
    for route in sorted({route for units in routes for route in units if route != UNKNOWN}):
        columns[f"{route}_gbps"] = np.array([_number(units.get(route, {}).get("bandwidth")) for units in routes])
    return Table(columns)


def _lines(rows: list[Mapping[str, Any]]) -> Table:
    """Only those that were hit or missed at all: there are 16 384 records whatever the kernel does."""
    counted = []
    for row in rows:
        hits, misses = (_first(row.get(key)) for key in ("Hit", "Miss"))
        if hits > 0 or misses > 0:
            counted.append((_integer(row.get("Cacheline Id")), hits, misses))
    values = np.array(counted, dtype=np.int64).reshape(-1, 3)
    return Table({"line": values[:, 0], "hits": values[:, 1], "misses": values[:, 2]})


def _first(of: Any) -> int:
    value = of.get("Value") if isinstance(of, dict) else None
    return max(0, _integer(value[0])) if isinstance(value, list) and value else 0


# ---- values


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _number(value: Any) -> float:
    if isinstance(value, str):
        value = number_cell(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e18 else math.nan


def _integer(value: Any) -> int:
    number = _number(value)
    return UNKNOWN if math.isnan(number) else int(number)


def _integers(values: Iterator[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([_integer(value) for value in values], dtype=np.int64)
