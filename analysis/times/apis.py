"""Kernels by the API call that launched them, where operator names carry it: aclnnCustom_CastAiCore_Cast."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Ints
from npuscope.analysis.summary import Api
from npuscope.parsers.table import Strings, Table

PREFIX = "aclnn"
# what a call does around its main kernel: conversions of format, type and place
SIDE_TYPES = (
    "TransData",
    "Cast",
    "Transpose",
    "TransposeD",
    "AsStrided",
    "ViewCopy",
    "TensorMove",
    "Identity",
    "MemSet",
)


def api_of(name: str) -> str | None:
    """The text before the first `_`, when it is an API's name."""
    api, mark, _ = name.partition("_")
    return api if mark and api.casefold().startswith(PREFIX) and len(api) > len(PREFIX) else None


def api_codes(names: Strings) -> Strings:
    """The API of each row."""
    by_value = Strings.of([*(api_of(value) for value in names.values), None])
    return by_value.take(names.codes)


def apis(table: Table) -> tuple[Api, ...]:
    """APIs by total time. Calls are not counted in a profile: as many are assumed as the main kernel has."""
    api = api_codes(table.strings("name"))
    kind, side = table.strings("type"), table.strings("type").mask(SIDE_TYPES)
    duration = np.nan_to_num(table.numbers("duration_us"))
    found = [
        _api(value, np.flatnonzero(api.codes == code), kind, side, duration)
        for code, value in enumerate(api.values)
        if (api.codes == code).any()
    ]
    return tuple(sorted(found, key=lambda entry: -entry.total_us))


def _api(name: str, rows: Ints, kind: Strings, side: np.ndarray, duration: np.ndarray) -> Api:
    around = side[rows]
    main = rows if around.all() else rows[~around]
    us = np.bincount(kind.codes[main] + 1, weights=duration[main])
    calls = int((kind.codes[main] + 1 == us.argmax()).sum())
    total = float(duration[rows].sum())
    beside = 0.0 if around.all() else float(duration[rows[around]].sum())
    return Api(name, len(rows), calls, total, total / calls, 100 * beside / total if total else 0.0)


def side_types(table: Table, name: str) -> tuple[str, ...]:
    """The conversions around one API's main kernel, by time."""
    rows = np.flatnonzero(api_codes(table.strings("name")).mask((name,)) & table.strings("type").mask(SIDE_TYPES))
    kind = table.strings("type").take(rows)
    us = np.bincount(kind.codes, weights=np.nan_to_num(table.numbers("duration_us")[rows]), minlength=len(kind.values))
    return tuple(kind.values[code] for code in np.argsort(-us, kind="stable").tolist() if us[code] > 0)
