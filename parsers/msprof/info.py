"""What stands beside the tables: info.json.N, sample.json, profiler_info*.json, op_basic_info.txt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from npuscope.parsers.json_text import loads
from npuscope.parsers.profile import Metadata

PATTERN = re.compile(r"info\.json(?:\.\d+)?|sample\.json|profiler_info(?:_\d+)?\.json|profiler_metadata\.json")
_LARGEST = 8 << 20
LARGEST_WORLD = 1_000_000  # a number beyond it is no number of ranks

FAMILIES = {
    0: "Ascend310", 1: "Ascend910", 2: "Ascend310P", 3: "Ascend310P", 4: "Ascend310P", 5: "Ascend910B",
    7: "Ascend310B", 8: "Ascend310B", 11: "Ascend310B", 15: "Ascend950", 16: "Ascend950",
}  # fmt: skip
_ONLY_CHIP = {"Ascend310": "Ascend310"}
_METRICS = {
    "PIPE_UTILIZATION": "PipeUtilization", "ARITHMETIC_UTILIZATION": "ArithmeticUtilization",
    "MEMORY_BANDWIDTH": "Memory", "L0B_AND_WIDTH": "MemoryL0", "MEMORY_UB": "MemoryUB",
    "RESOURCE_CONFLICT_RATIO": "ResourceConflictRatio", "L2_CACHE": "L2Cache", "MEMORY_ACCESS": "MemoryAccess",
    "PIPELINE_EXECUTE_UTILIZATION": "PipelineExecuteUtilization",
}  # fmt: skip


def read(path: str) -> dict[str, Any]:
    """The object in a JSON file; {} when it is missing, unreadable, too large or something else."""
    try:
        file = Path(path)
        if file.stat().st_size > _LARGEST:
            return {}
        found = loads(file.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def of_prof(folder: Path) -> Metadata:
    """Metadata of a PROF folder."""
    infos = [read(str(path)) for path in _listed(folder, "device_*/info.json*")]
    host = read(str(folder / "host" / "info.json"))
    samples = [read(str(path)) for path in _listed(folder, "device_*/sample.json")]
    samples.append(read(str(folder / "host" / "sample.json")))
    sample = next((found for found in samples if found), {})
    devices = [device for info in infos for device in _objects(info.get("DeviceInfo"))]
    ids = sorted({number for device in devices if (number := _integer(device.get("id"))) is not None})
    platform = next((n for info in [*infos, host] if (n := _integer(info.get("platform_version"))) is not None), None)
    family = FAMILIES.get(platform) if platform is not None else None
    rank = rank_in(host.get("rank_id"))
    first = devices[0] if devices else {}
    return Metadata(
        chip=_ONLY_CHIP.get(family or ""),
        family=family,
        cann=next((text for info in [host, *infos] if (text := _text(info.get("cannVersion")))), None),
        level=_text(sample.get("profLevel")),
        aic_metrics=_group(_text(sample.get("ai_core_metrics"))),
        rank=rank,
        devices=tuple(ids),
        cube_cores=_positive(first.get("ai_core_num")),
        vector_cores=_positive(first.get("aiv_num")),
        aic_freq_mhz=_number(first.get("aic_frequency")),
    )


def of_framework(folder: Path) -> Metadata:
    """Metadata of an *_ascend_pt or *_ascend_ms folder; the chip is told by the PROF folder inside, if it is there."""
    inner = next((of_prof(path) for path in _listed(folder, "PROF_*")), Metadata())
    info = next((found for path in _listed(folder, "profiler_info*.json") if (found := read(str(path)))), {})
    config = info.get("config") if isinstance(info.get("config"), dict) else {}
    options = config.get("experimental_config") if isinstance(config, dict) else None
    options = options if isinstance(options, dict) else {}
    level = (_text(options.get("_profiler_level")) or "").casefold()
    rank = rank_in(info.get("rank_id"))
    return Metadata(
        chip=inner.chip,
        family=inner.family,
        cann=_text(info.get("cann_version")) or inner.cann,
        level=level.replace("level", "l").strip("_") or inner.level,
        aic_metrics=_metric(_text(options.get("_aic_metrics"))) or inner.aic_metrics,
        rank=rank,
        devices=inner.devices,
        cube_cores=inner.cube_cores,
        vector_cores=inner.vector_cores,
        aic_freq_mhz=inner.aic_freq_mhz,
    )


def rank_in(value: Any) -> int | None:
    """0, "2"; None for -1 (unknown to the tool itself) and everything else."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        return value if 0 <= value < LARGEST_WORLD else None
    text = value.strip()
    return int(text) if text.isdecimal() and len(text) <= len(str(LARGEST_WORLD)) else None


def soc_of(folder: Path) -> str | None:
    """The exact chip that `msprof op` noted in dump/op_basic_info.txt."""
    try:
        text = (folder / "dump" / "op_basic_info.txt").read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        return None
    found = re.search(r"^Run Soc Version=(Ascend\w[\w-]*)\s*$", text, re.MULTILINE)
    return found.group(1) if found else None


def _group(name: str | None) -> str | None:
    """The group as it is asked for: the collector notes PipeUtilizationExct where the cube side counts more pipes."""
    return None if name is None else name.removesuffix("Exct")


def _metric(name: str | None) -> str | None:
    if name is None:
        return None
    short = name.rpartition("ACL_AICORE_")[2]
    return _METRICS.get(short, None if short in ("NONE", "") else short)


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(path for path in folder.glob(pattern) if not path.name.endswith(".done"))
    except OSError:
        return []


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 < number < 1e9 else None


def _integer(value: Any) -> int | None:
    """A whole number that fits 32 bits; they stand as numbers or as text."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if not isinstance(value, bool) and abs(number) < 1 << 32 else None


def _positive(value: Any) -> int | None:
    number = _integer(value)
    return number if number is not None and number > 0 else None
