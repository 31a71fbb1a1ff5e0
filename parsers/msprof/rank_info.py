"""Which rank of which job a run is, from what stands beside its tables; never from the order of folders."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.torch import INFO
from npuscope.parsers.msprof.info import rank_in, read
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError

_DB_RANK = re.compile(r"ascend_(?:pytorch|mindspore)_profiler_(\d{1,7})\.db")
_METADATA = "profiler_metadata.json"


@dataclass(frozen=True)
class RankInfo:
    """A run's place in its job. `pipeline_stage` counts from 0, over `pipeline_stages`; None = not told."""

    rank: int | None = None
    world_size: int | None = None
    pipeline_stage: int | None = None
    pipeline_stages: int | None = None


def read_rank_info(run: Run) -> RankInfo:
    """Reads profiler_info_<rank>.json, profiler_metadata.json, host/info.json, or a database's name."""
    folder = Path(run.path)
    if inside(run.path) is not None:
        return _of_archive(run)
    if run.kind in ("csv", "db"):
        return RankInfo(rank=_of_database_name([folder.name]))
    if run.kind == "msprof":
        rank = run.rank if run.rank is not None else rank_in(read(str(folder / "host" / "info.json")).get("rank_id"))
        return RankInfo(rank=_of_devices(folder) if rank is None else rank)
    metadata = _object(read(str(folder / _METADATA)))
    arguments = _object(metadata.get("distributed_args"))
    groups = [_object(group) for group in _object(metadata.get("parallel_group_info")).values()]
    infos = [read(str(path)) for path in _infos(folder)]
    told = [
        run.rank,
        *(rank_in(info.get("rank_id")) for info in infos),
        rank_in(arguments.get("rank")),
        _of_database_name(name.rpartition("/")[2] for name in run.files),
        _of_inner(folder),
    ]
    stage, stages = _stage(groups)
    return RankInfo(
        rank=next((rank for rank in told if rank is not None), None),
        world_size=_world(arguments, groups, infos),
        pipeline_stage=stage,
        pipeline_stages=stages,
    )


def _of_archive(run: Run) -> RankInfo:
    from npuscope.parsers.msprof.archive_reader import SETTINGS, taken_out  # imports zipfile and tarfile

    try:
        with taken_out(dataclasses.replace(run, files=(), state="ready"), SETTINGS) as out:
            found = read_rank_info(out.run)
    except ParseError:
        return RankInfo(run.rank)
    return found if run.rank is None else dataclasses.replace(found, rank=run.rank)


def _infos(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if INFO.fullmatch(path.name))
    except OSError:
        return []


def _of_devices(folder: Path) -> int | None:
    """Old layouts have the rank only in device_N/info.json.N; several devices of several ranks tell none."""
    try:
        paths = [path for path in folder.glob("device_*/info.json*") if not path.name.endswith(".done")]
    except OSError:
        return None
    ranks = {rank_in(read(str(path)).get("rank_id")) for path in paths}
    return ranks.pop() if len(ranks) == 1 else None


def _of_inner(folder: Path) -> int | None:
    """The raw data inside a framework's folder knows its rank too."""
    try:
        paths = sorted(folder.glob("PROF_*/host/info.json"))
    except OSError:
        return None
    ranks = {rank_in(read(str(path)).get("rank_id")) for path in paths}
    return ranks.pop() if len(ranks) == 1 else None


def _of_database_name(names: Iterable[str]) -> int | None:
    found = {int(match.group(1)) for name in names if (match := _DB_RANK.fullmatch(name))}
    return found.pop() if len(found) == 1 else None


def _world(arguments: Mapping[str, Any], groups: Iterable[Mapping[str, Any]], infos: Iterable[Any]) -> int | None:
    for told in (arguments.get("world_size"), *(info.get("rank_size") for info in infos)):
        size = rank_in(told)
        if size:
            return size
    for group in groups:
        if group.get("group_name") == "default_group":
            ranks = _ranks(group.get("global_ranks"))
            return max(ranks) + 1 if ranks else None
    return None


def _stage(groups: Iterable[Mapping[str, Any]]) -> tuple[int | None, int | None]:
    """The place in the group of ranks that hand their results on."""
    for group in groups:
        ranks = _ranks(group.get("global_ranks"))
        if group.get("group_name") == "pp" and len(ranks) > 1:
            return rank_in(group.get("group_rank")), len(ranks)
    return None, None


def _ranks(value: Any) -> list[int]:
    found = [rank_in(item) for item in value] if isinstance(value, list) else []
    return [rank for rank in found if rank is not None]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
