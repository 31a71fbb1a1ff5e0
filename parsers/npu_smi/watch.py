"""`npu-smi info watch`: a header once, then one line per chip and pass, without a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npuscope.parsers.npu_smi.errors import lines_of, nothing_in
from npuscope.parsers.npu_smi.rows import number_of

_COLUMN = re.compile(r"[A-Za-z][A-Za-z ]*?\([^)]*\)")
_FIELDS = {
    "npuid": "npu_id", "chipid": "chip_id", "pwr": "power_w", "temp": "temp_c",
    "ai core": "aicore_pct", "ai cpu": "aicpu_pct", "ctrl cpu": "ctrlcpu_pct",
    "memory": "memory_pct", "memory bw": "memory_bandwidth_pct", "npu util": "npu_pct", "ai cube": "aicube_pct",
}  # fmt: skip


@dataclass(frozen=True)
class WatchRow:
    """One chip in one pass. Memory is HBM where the chip has it, else DDR; unknown and unasked columns are None."""

    npu_id: int
    chip_id: int = 0
    power_w: float | None = None
    temp_c: int | None = None
    aicore_pct: int | None = None
    aicpu_pct: int | None = None
    ctrlcpu_pct: int | None = None
    memory_pct: int | None = None
    memory_bandwidth_pct: int | None = None
    npu_pct: int | None = None
    aicube_pct: int | None = None


def parse_watch(text: str) -> tuple[WatchRow, ...]:
    """All whole rows in order; a row with fewer cells than the header was cut and is left out. Raises ParseError."""
    names: list[str] = []
    found: list[WatchRow] = []
    for line in lines_of(text):
        header = [word.split("(")[0].strip().casefold() for word in _COLUMN.findall(line)]
        if header[:1] == ["npuid"]:
            names = [_FIELDS.get(word, "") for word in header]
            continue
        words = line.split()
        if names and len(words) == len(names):
            row = _row(dict(zip(names, words)))
            if row:
                found.append(row)
    if not names:
        raise nothing_in(text)
    return tuple(found)


def _row(words: dict[str, str]) -> WatchRow | None:
    values = {name: number_of(word) for name, word in words.items() if name}
    npu_id = values.pop("npu_id", None)
    if npu_id is None:
        return None
    chip_id, power = values.pop("chip_id", None), values.pop("power_w", None)
    whole = {name: _whole(name, value) for name, value in values.items()}
    return WatchRow(npu_id=int(npu_id), chip_id=int(chip_id or 0), power_w=power or None, **whole)


def _whole(name: str, value: float | None) -> int | None:
    if value is None or (name.endswith("_pct") and not 0 <= value <= 100):
        return None
    return int(value)
