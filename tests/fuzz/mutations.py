"""Real inputs, broken: every change is (kind, a, b, c) with numbers that stand for places, so that it shrinks well."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

ODD_CELLS = (
    b"", b"0", b"-1", b"-12.5", b"N/A", b"NA", b"na", b"nan", b"inf", b"-inf", b"1e400", b"1E+15", b"1e-400", b"1e308",
    b"9" * 19, b"9" * 40, b"9" * 5000, b"9999999999999999.999", b"-9999999999999999.999", b"9223372036854775807",
    b"-9223372036854775808", b"9223372036854775808", b"18446744073709551615", b"4294967295", b"1_000", b"0x10",
    b"1e+9_99999999", b"1.2.3", b"+5", b" 7 ", b"7.0", b"007", b"1,5", b'"', b'""', b'"1,2;3,4"', b'"a\nb"', b'a"b',
    b"\x00", b"a\x00b", b"\xff\xfe", b"\xd6\xd0\xce\xc4", b"\xf0\x9f\x92\xa9", "١٢٣".encode(), "１２．５".encode(),
    b"\x1b[31mred\x1b[0m", b"[bold]x[/]", b"\t5\t", b"\r", b"x" * 70_000, b"host", b"True", b"None", b"1;", b";;;",
    "\u2028".encode(), "\u202e".encode(), b"1e5", b"-0.0", b"5e-324", b"1D5", b"1713395907437817.600\t",
)  # fmt: skip
ODD_JSON: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, -1e308, 10**30, -(10**30), float("inf"), float("nan"), 0.5, "", "x", "5", "nan",
    "-1", "inf", "9" * 40, "1e400", "\ud800", "\x00", "\x1b[31m", [], {}, [[]], [None], {"": None}, [1, "a", {}],
    {"a": {"b": {}}}, "x" * 70_000, 2**63, -(2**63), 1736408883674584.732, "1736408883674584.732",
)  # fmt: skip
_NOISE = (
    b"\x00", b"\xff", b'"', b",", b"\n", b"\r\n", b"\r", b"{", b"}", b"[", b"]", b"\\", b"\xef\xbb\xbf", b"\x1b[2J",
    b'"traceEvents"', b"\xd6\xd0", b" ", b"\t", b"N/A", b"-", b"e", b"9" * 400, b"\x00" * 300, b"'", b":", b";", b"|",
    b"+",
)  # fmt: skip

Change = tuple[str, int, int, int]


@dataclass(frozen=True)
class Input:
    """Which of the seeds, what was done to it, a number to use as the target likes, and which of its parts is meant."""

    seed: int
    changes: tuple[Change, ...]
    choice: int = 0
    part: int = 0


def inputs(kinds: Sequence[str], most: int = 4) -> st.SearchStrategy[Input]:
    """Some changes of these kinds, to any of the seeds."""
    number = st.integers(0, 65535)
    change = st.tuples(st.sampled_from(list(kinds)), number, number, number)
    return st.builds(Input, number, st.lists(change, min_size=1, max_size=most).map(tuple), number)


# ---- bytes


def _cut(data: bytes, a: int, b: int, c: int) -> bytes:
    return data[: _place(data, a)]


def _behead(data: bytes, a: int, b: int, c: int) -> bytes:
    return data[_place(data, a) :]


def _remove(data: bytes, a: int, b: int, c: int) -> bytes:
    begin = _place(data, a)
    return data[:begin] + data[begin + b % 300 :]


def _insert(data: bytes, a: int, b: int, c: int) -> bytes:
    begin = _place(data, a)
    return data[:begin] + _NOISE[b % len(_NOISE)] * (1 + c % 3) + data[begin:]


def _flip(data: bytes, a: int, b: int, c: int) -> bytes:
    begin = _place(data, a)
    return data[:begin] + bytes([b % 256]) + data[begin + 1 :]


def _repeat(data: bytes, a: int, b: int, c: int) -> bytes:
    begin = _place(data, a)
    return data[:begin] + data[begin : begin + b % 2000] * (1 + c % 4) + data[begin:]


def _splice(data: bytes, a: int, b: int, c: int) -> bytes:
    return data[: _place(data, a)] + data[_place(data, b) :]


def _zeros(data: bytes, a: int, b: int, c: int) -> bytes:
    begin, count = _place(data, a), b % 5000
    return data[:begin] + b"\0" * count + data[begin + count :]


def _empty(data: bytes, a: int, b: int, c: int) -> bytes:
    return (b"", b"\n", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\r\r", b" ", b'"', b",", b"[", b"{}", b"null")[a % 12]


def _recode(data: bytes, a: int, b: int, c: int) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(("utf-16", "utf-32", "gb18030", "utf-8-sig", "utf-16-be", "utf-7")[a % 6], "replace")


def _nest(data: bytes, a: int, b: int, c: int) -> bytes:
    begin = _place(data, a)
    deep = (b"[", b'{"a":', b'[{"a":')[b % 3] * (10 ** (1 + c % 5) + 1)
    return data[:begin] + deep + data[begin:]


# ---- lines and cells


def _end_lines(data: bytes, a: int, b: int, c: int) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", (b"\r\n", b"\r", b"\n\n", b"\n\r", b"\x0b", b"\n ")[a % 6])


def _copy_line(data: bytes, a: int, b: int, c: int) -> bytes:
    lines = _lines(data)
    line = lines[a % len(lines)]
    at = b % (len(lines) + 1)
    return b"".join([*lines[:at], *[line] * (1 + c % 3), *lines[at:]])


def _drop_line(data: bytes, a: int, b: int, c: int) -> bytes:
    lines = _lines(data)
    at = a % len(lines)
    return b"".join(lines[:at] + lines[at + 1 + b % 3 :])


def _header_only(data: bytes, a: int, b: int, c: int) -> bytes:
    first = _lines(data)[0]
    return first if a % 2 else first.rstrip()


def _cell(data: bytes, a: int, b: int, c: int) -> bytes:
    return _with_cell(data, a, b, ODD_CELLS[c % len(ODD_CELLS)])


def _column(data: bytes, a: int, b: int, c: int) -> bytes:
    """One odd value all the way down: sums, medians and shares of nothing but that."""
    lines = [line.split(b",") for line in _lines(data)]
    for line in lines[1:]:
        if len(line) > 1:
            line[a % len(line)] = ODD_CELLS[b % len(ODD_CELLS)]
    return b"".join(b",".join(line) for line in lines)


def _add_cell(data: bytes, a: int, b: int, c: int) -> bytes:
    lines = _lines(data)
    at = a % len(lines)
    cells = lines[at].split(b",")
    cells.insert(b % (len(cells) + 1), ODD_CELLS[c % len(ODD_CELLS)])
    return b"".join([*lines[:at], b",".join(cells), *lines[at + 1 :]])


def _drop_cell(data: bytes, a: int, b: int, c: int) -> bytes:
    lines = _lines(data)
    at = a % len(lines)
    cells = lines[at].split(b",")
    del cells[b % len(cells)]
    return b"".join([*lines[:at], b",".join(cells), *lines[at + 1 :]])


def _header_cell(data: bytes, a: int, b: int, c: int) -> bytes:
    """A header that says the same twice, in another case, without its unit, or nothing."""
    head, _, rest = data.partition(b"\n")
    cells = head.split(b",")
    at, other = a % len(cells), cells[b % len(cells)]
    here = cells[at]
    cells[at] = (
        other, here.upper(), b"", here.partition(b"(")[0], here.replace(b"us", b"ms"), b" " + here + b"\t",
        b'"' + here + b'"', here.replace(b" ", b"_"), b"(us)", "耗时(us)".encode(), here + b"(", b"aic_" + here,
    )[c % 12]  # fmt: skip
    return b",".join(cells) + b"\n" + rest


def _swap_columns(data: bytes, a: int, b: int, c: int) -> bytes:
    lines = [line.rstrip(b"\r\n").split(b",") for line in _lines(data)]
    for cells in lines:
        i, j = a % len(lines[0]), b % len(lines[0])
        if max(i, j) < len(cells):
            cells[i], cells[j] = cells[j], cells[i]
    return b"\n".join(b",".join(cells) for cells in lines) + b"\n"


def _with_cell(data: bytes, line: int, cell: int, text: bytes) -> bytes:
    lines = _lines(data)
    at = line % len(lines)
    cells = lines[at].split(b",")
    place = cell % len(cells)
    ending = b"\n" if place == len(cells) - 1 and cells[place].endswith(b"\n") else b""
    cells[place] = text + ending
    return b"".join([*lines[:at], b",".join(cells), *lines[at + 1 :]])


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) or [b""]


def _place(data: bytes, number: int) -> int:
    """Small numbers are places near the beginning, the largest near the end; any place can be had."""
    size = len(data) + 1
    return number % size if number < 32768 else (number * size) // 65536


# ---- values of JSON


def _json_value(data: bytes, a: int, b: int, c: int) -> bytes:
    return _changed(data, a, lambda old: ODD_JSON[b % len(ODD_JSON)])


def _json_key(data: bytes, a: int, b: int, c: int) -> bytes:
    def renamed(old: Any) -> Any:
        if not isinstance(old, dict) or not old:
            return ODD_JSON[c % len(ODD_JSON)]
        key = sorted(old)[b % len(old)]
        new = ("", "x" * 300, key.upper(), key + " ", "\ud800", "nan", "-1", "\x00")[c % 8]
        return {(new if name == key else name): value for name, value in old.items()}

    return _changed(data, a, renamed)


def _json_drop(data: bytes, a: int, b: int, c: int) -> bytes:
    def without(old: Any) -> Any:
        if isinstance(old, dict) and old:
            return {name: value for name, value in old.items() if name != sorted(old)[b % len(old)]}
        return old[1:] if isinstance(old, (list, str)) else None

    return _changed(data, a, without)


def _json_wrap(data: bytes, a: int, b: int, c: int) -> bytes:
    return _changed(data, a, lambda old: [old] if b % 2 else {str(ODD_JSON[c % len(ODD_JSON)])[:40]: old})


def _changed(data: bytes, number: int, change: Callable[[Any], Any]) -> bytes:
    """The document with one of its values changed; what is no JSON stays."""
    try:
        root = json.loads(data)
        places = _places(data)
        path = places[number % len(places)]
        if not path:
            return json.dumps(change(root)).encode()
        holder = root
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = change(holder[path[-1]])
        return json.dumps(root).encode()
    except (ValueError, RecursionError):
        return data


@functools.lru_cache(64)
def _places(data: bytes) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    todo: list[tuple[tuple[Any, ...], Any]] = [((), json.loads(data))]
    while todo and len(found) < 20_000:
        path, value = todo.pop()
        found.append(path)
        if isinstance(value, dict):
            todo += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            todo += [((*path, at), inner) for at, inner in enumerate(value[:400])]
    return found


_ALL: dict[str, Callable[[bytes, int, int, int], bytes]] = {
    "cut": _cut, "behead": _behead, "remove": _remove, "insert": _insert, "flip": _flip, "repeat": _repeat,
    "splice": _splice, "zeros": _zeros, "empty": _empty, "recode": _recode, "nest": _nest, "end-lines": _end_lines,
    "copy-line": _copy_line, "drop-line": _drop_line, "header-only": _header_only, "cell": _cell, "column": _column,
    "add-cell": _add_cell, "drop-cell": _drop_cell, "header-cell": _header_cell, "swap-columns": _swap_columns,
    "json-value": _json_value, "json-key": _json_key, "json-drop": _json_drop, "json-wrap": _json_wrap,
}  # fmt: skip
BYTES = ("cut", "behead", "remove", "insert", "flip", "repeat", "splice", "zeros", "empty", "recode")
CELLS = (
    "cell", "cell", "cell", "column", "column", "add-cell", "drop-cell", "header-cell", "header-cell", "swap-columns",
    "copy-line", "drop-line", "header-only", "end-lines",
)  # fmt: skip
JSON = ("json-value", "json-value", "json-value", "json-key", "json-drop", "json-wrap", "nest")
CSV = (*BYTES, *CELLS, *CELLS)
JSON_TEXT = (*BYTES, *JSON, *JSON)


def changed(data: bytes, changes: Sequence[Change], limit: int = 1 << 20) -> bytes:
    """The data after these changes; not let to grow beyond measure."""
    for kind, a, b, c in changes:
        if kind in _ALL:
            data = _ALL[kind](data, a, b, c)[:limit]
    return data
