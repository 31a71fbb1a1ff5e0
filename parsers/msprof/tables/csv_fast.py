"""Clean blocks of big operator tables through pandas' csv reader. Anything odd: None, and the exact way reads it.

What is odd is found by pandas refusing it (too many cells, text among numbers) and by what is checked here: too few
cells, lines that are no rows, NUL bytes, start times that are not plain decimals.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers.csv_gather import Piece
from npuscope.parsers.csv_table import measured, numbers
from npuscope.parsers.profile import UNKNOWN

_START_BYTES = 24
_CATEGORY = pd.CategoricalDtype()
_DTYPES: dict[str, Any] = {
    c.TEXT: _CATEGORY, c.SHAPE: _CATEGORY, c.INTEGER: np.dtype(np.float64), c.FLOAT: np.dtype(np.float64),
    c.COUNTER: np.dtype(np.float32), c.START: np.dtype(f"S{_START_BYTES}"),
}  # fmt: skip
_MISSING = sorted(c.MISSING)
_MISSING_SPELLED = sorted(c.MISSING - {""})
_EXACT_FLOAT = 2.0**53
_ASCII = 127
_LONGEST = 19  # digits of nanoseconds in an int64, when the first is no 9
_GLANCE = 64
_TRUTHS = (b"True", b"TRUE", b"true", b"False", b"FALSE", b"false")
_TRUTH = re.compile(rb'(?:\A|[,"\s])(?:%b)[,"\s]' % b"|".join(_TRUTHS))


def read_block(block: bytes, columns: Sequence[c.Column], width: int) -> Mapping[str, Piece] | None:
    """Pieces of every column of a block of whole lines, a row a line; None when anything is odd."""
    first = _first_line(block)
    if b"\0" in block or len(first) != width:
        return None
    names = [str(index) for index in range(width)]
    kinds = {str(column.index): column.kind for column in columns}
    # a row that ends too early reads as "" in its last cell, which is therefore no missing value there
    missing = dict.fromkeys(names[:-1], _MISSING) | {names[-1]: _MISSING_SPELLED}
    try:
        frame = pd.read_csv(
            io.BytesIO(block),
            header=None,
            names=names,
            index_col=False,
            dtype={name: _DTYPES[kinds.get(name, c.TEXT)] for name in names},
            keep_default_na=False,
            na_values=missing,
            low_memory=False,
        )
    except (ValueError, OverflowError):
        return None
    if len(frame) != block.count(b"\n") or not _ends_full(frame[names[-1]]):
        return None
    if any(_hides_truth(frame[name], cell, block) for name, cell in zip(names, first)):
        return None
    pieces: dict[str, Piece] = {}
    for column in columns:
        piece = _piece(column, frame[str(column.index)])
        if piece is None:
            return None
        pieces[column.name] = piece
    return pieces


def _hides_truth(series: pd.Series[Any], first: str, block: bytes) -> bool:
    """Whether these numbers were words: a column of nothing but true and false is numbers to pandas.

    first: the text of its first cell.
    """
    if series.dtype.kind != "f":
        return False
    values = series.to_numpy()
    for part in (values[:_GLANCE], values):  # hardly any column gets beyond the glance
        if not ((part == 0) | (part == 1) | np.isnan(part)).all():
            return False
    if np.isnan(values[0]):
        return not np.isnan(values).all() and _has_truth(block)
    return first.strip().casefold() in ("true", "false")


def _has_truth(block: bytes) -> bool:
    """Whether a cell says true or false."""
    return any(word in block for word in _TRUTHS) and _TRUTH.search(block) is not None


def _first_line(block: bytes) -> list[str]:
    """Its cells: pandas takes their number for granted. Empty when it is no line of csv."""
    text = block[: block.find(b"\n") + 1].decode("utf-8", "replace")
    try:
        return next(csv.reader(io.StringIO(text, newline="")), [])
    except csv.Error:
        return []


def _ends_full(last: pd.Series[Any]) -> bool:
    return not isinstance(last.dtype, pd.CategoricalDtype) or "" not in last.cat.categories


def _piece(column: c.Column, series: pd.Series[Any]) -> Piece | None:
    if column.kind in (c.TEXT, c.SHAPE):
        texts = series.cat.categories.tolist()
        # a column of nothing but numbers: pandas made numbers of them, and 007 is gone
        return (series.cat.codes.to_numpy(), texts) if all(isinstance(text, str) for text in texts) else None
    values = series.to_numpy()
    if column.kind == c.START:
        return _starts(column, values)
    if column.kind == c.INTEGER:
        return _integers(values)
    if column.required and not ((values >= 0) & (values < np.inf)).all():
        return None
    return measured(column, values)


def _integers(values: NDArray[Any]) -> NDArray[Any] | None:
    known = np.isfinite(values)
    if known.all():
        return None if (np.abs(values) >= _EXACT_FLOAT).any() else values.astype(np.int64)
    if (np.abs(values[known]) >= _EXACT_FLOAT).any():
        return None
    return np.where(known, np.where(known, values, 0).astype(np.int64), UNKNOWN)


def _starts(column: c.Column, cells: NDArray[Any]) -> NDArray[Any] | None:
    if cells.dtype.kind != "S":
        cells = cells.astype(f"S{_START_BYTES}")
    letters = np.ascontiguousarray(cells).view(np.uint8).reshape(len(cells), -1)
    if letters[:, -1].any() or (letters > _ASCII).any():
        return None
    same = _same_layout(letters) if column.scale == 1.0 else None
    if same is not None:
        return same
    texts = [cell.decode("utf-8", "replace") for cell in cells.tolist()]
    return None if any(map(c.is_rounded, texts)) else numbers(column, texts)


def _same_layout(letters: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Nanoseconds of cells that all have the digits of the first cell's layout, like 1713395907437817.600 and a tab."""
    first = bytes(letters[0]).rstrip(b"\0 \t")
    whole, dot, decimals = first.partition(b".")
    end = len(first)
    if not whole.isdigit() or len(decimals) not in (0, 3) or not 1 <= len(whole) <= 15 + len(dot) or end < len(whole):
        return None
    places = [*range(len(whole)), *range(len(whole) + 1, end)]
    digits = letters[:, places].astype(np.float64) - 48
    rest = letters[:, end:]
    if (digits < 0).any() or (digits > 9).any() or not np.isin(rest, (0, 9, 32)).all():
        return None
    if dot and not ((letters[:, len(whole)] == 46).all() and decimals.isdigit()):
        return None
    high, low = digits[:, :9], digits[:, 9:]
    if digits.shape[1] == _LONGEST and (digits[:, 0] == 9).any():
        return None
    value = _joined(high).astype(np.int64) * 10 ** low.shape[1] + _joined(low).astype(np.int64)
    found: NDArray[np.int64] = value if decimals else value * 1000
    return found


def _joined(digits: NDArray[np.float64]) -> NDArray[np.float64]:
    joined: NDArray[np.float64] = digits @ (10.0 ** np.arange(digits.shape[1] - 1, -1, -1))
    return joined
