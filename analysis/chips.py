"""The peaks of each Ascend part, and which part a profile was taken on."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("chips.toml")
SAME = 0.01  # two frequencies or core-MHz products within 1 % are the same part's


@dataclass(frozen=True)
class Chip:
    """One part. tflops and tops = 10^12/s, gbps = 10^9 bytes/s, sizes in bytes; None = unknown."""

    name: str
    family: str
    fused: bool = False
    cube_cores: int | None = None
    vector_cores: int | None = None
    cube_mhz: float | None = None
    vector_mhz: float | None = None
    cube_fp16_tflops: float | None = None
    cube_int8_tops: float | None = None
    vector_fp16_tflops: float | None = None
    vector_fp32_tflops: float | None = None
    hbm_gbps: float | None = None
    hbm_source: str | None = None
    l2_gbps: float | None = None
    memory_bytes: int | None = None
    l2_bytes: int | None = None
    ub_bytes: int | None = None
    source: str | None = None
    note: str | None = None

    @property
    def core_mhz(self) -> float | None:
        """Cube cores times frequency: what a profile's occupancy column gives away."""
        return self.cube_cores * self.cube_mhz if self.cube_cores and self.cube_mhz else None


@lru_cache(maxsize=1)
def table() -> dict[str, Chip]:
    """All parts by name."""
    raw: dict[str, dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: Chip(name=name, **values) for name, values in raw.items()}


def _bare(name: str) -> str:
    return re.sub(r"^(huawei|ascend)+", "", re.sub(r"[\s_-]+", "", name.casefold()))


def find(name: str | None) -> Chip | None:
    """The part of that name: "Ascend910B3", "910B3", "Ascend 910B3", "9382". None when there is none such.

    "910B" is the part of the 910A generation whose name that is, never a 910B1 .. 910B4.
    """
    if not name or not _bare(name):
        return None
    wanted = _bare(name)
    by_bare = {_bare(chip.name): chip for chip in table().values()}
    number = [
        chip for bare, chip in by_bare.items() if re.fullmatch(rf"(910|950PR|950DT){re.escape(wanted)}", bare, re.I)
    ]
    return by_bare.get(wanted) or (number[0] if len(wanted) == 4 and len(number) == 1 else None)


def names() -> tuple[str, ...]:
    """What `find` knows, for a sentence that has to say so."""
    return tuple(table())


def scaled(chip: Chip, cube_cores: int | None, vector_cores: int | None, mhz: float | None) -> Chip:
    """The part as this box runs it: peaks follow the cores and the frequency that info.json states."""
    cores, vectors = cube_cores or chip.cube_cores, vector_cores or chip.vector_cores
    cube = _ratio(cores, chip.cube_cores) * _ratio(mhz, chip.cube_mhz)
    vector = cube if chip.fused else _ratio(vectors, chip.vector_cores) * _ratio(mhz, chip.vector_mhz)
    return dataclasses.replace(
        chip,
        cube_cores=cores,
        vector_cores=vectors,
        cube_mhz=mhz or chip.cube_mhz,
        cube_fp16_tflops=_times(chip.cube_fp16_tflops, cube),
        cube_int8_tops=_times(chip.cube_int8_tops, cube),
        vector_fp16_tflops=_times(chip.vector_fp16_tflops, vector),
        vector_fp32_tflops=_times(chip.vector_fp32_tflops, vector),
    )


def _ratio(value: float | None, rated: float | None) -> float:
    return value / rated if value and rated else 1.0


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def by_core_mhz(core_mhz: float | None, split: bool) -> Chip | None:
    """The part whose cube cores times frequency is this product, where that names one part's peaks.

    split: cube and vector cores are apart, which fused parts have not.
    """
    if not core_mhz:
        return None
    parts = (chip for chip in table().values() if chip.fused != split)
    return _agreed(chip for chip in parts if chip.core_mhz and _near(chip.core_mhz, core_mhz))


def by_cores(cube_cores: int | None, vector_cores: int | None, mhz: float | None) -> Chip | None:
    """The part with these core counts and this frequency in MHz, where they name one part's peaks."""
    if not (cube_cores and vector_cores and mhz):
        return None
    return _agreed(
        chip
        for chip in table().values()
        if (chip.cube_cores, chip.vector_cores) == (cube_cores, vector_cores)
        and chip.cube_mhz
        and _near(chip.cube_mhz, mhz)
    )


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * a


def _line(chip: Chip) -> str:
    """Family, with the two memories of the 950 apart."""
    return chip.family + "".join(re.findall(r"950(PR|DT)", chip.name))


def _agreed(candidates: Iterable[Chip]) -> Chip | None:
    """The first of several parts that differ in name only: one memory bandwidth, known for each of their lines."""
    found = tuple(candidates)
    known = [chip for chip in found if chip.hbm_gbps is not None]
    if len(found) == 1:
        return found[0]
    if len({chip.hbm_gbps for chip in known}) != 1 or {_line(chip) for chip in found} != {
        _line(chip) for chip in known
    }:
        return None
    return known[0]
