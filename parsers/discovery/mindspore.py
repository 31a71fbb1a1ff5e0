"""`profiler/` folders of MindSpore up to 2.2: flat, the files of several ranks side by side, the rank in each name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from npuscope.parsers.discovery.files import Fact, Folder, State, make_run, no_permission, permission_problem, settling
from npuscope.parsers.profile import IgnoredFile, Run
from npuscope.parsers.say import say

KIND = "mindspore"
DETAIL = re.compile(r"aicore_intermediate_(?P<rank>\d{1,6})_detail\.csv")
TYPES = re.compile(r"aicore_intermediate_(?P<rank>\d{1,6})_type\.csv")
FRAMEWORK = re.compile(r"framework_raw_(?P<rank>\d{1,6})\.csv")
STEPS = re.compile(r"step_trace_raw_(?P<rank>\d{1,6})_detail_time\.csv")
AICPU = re.compile(r"aicpu_intermediate_(?P<rank>\d{1,6})\.csv")
_FILES = (DETAIL, TYPES, FRAMEWORK, STEPS, AICPU)
_INNER = re.compile(r"PROF_.+")


def is_mindspore_raw(folder: Folder) -> bool:
    """Whether a folder is one of these."""
    return any(folder.has(pattern) for pattern in _FILES)


def look_at_ranks(folder: Folder, now: float) -> list[Run]:
    """A run for each rank that has operators, in one folder; of several each is called by its own table's path.

    Where no rank has any, the folder is one run without operators, unless msprof's own data lies in it.
    """
    facts = [one for pattern in _FILES for one in folder.facts(pattern)]
    by_rank: dict[int, list[Fact]] = {}
    for one in facts:
        by_rank.setdefault(_rank_of(one.name), []).append(one)
    with_operators = {rank: files for rank, files in by_rank.items() if _table(files) is not None}
    if not with_operators and any(_INNER.fullmatch(name) for name in folder.folders()):
        return []
    if not with_operators:
        return [_without_operators(folder, facts, sorted(by_rank))]
    runs = [_run(folder, rank, files, now) for rank, files in sorted(with_operators.items())]
    if len(runs) == 1:
        return runs
    return [replace(run, path=str(folder.path / run.files[0])) for run in runs]


def look_at_table(path: Path, now: float) -> Run | None:
    """The run of the rank whose operator table this file is; None for any other file."""
    match = DETAIL.fullmatch(path.name) or TYPES.fullmatch(path.name)
    if match is None:
        return None
    folder = Folder.of(path.parent)
    files = [one for pattern in _FILES for one in folder.facts(pattern) if _rank_of(one.name) == int(match["rank"])]
    return replace(_run(folder, int(match["rank"]), files, now), path=str(path)) if files else None


def _rank_of(name: str) -> int:
    match = next(match for pattern in _FILES if (match := pattern.fullmatch(name)) is not None)
    return int(match["rank"])


def _table(files: Sequence[Fact]) -> Fact | None:
    return next((one for pattern in (DETAIL, TYPES) for one in files if pattern.fullmatch(one.name)), None)


def _run(folder: Folder, rank: int, files: Sequence[Fact], now: float) -> Run:
    table = _table(files)
    ordered = [table, *(one for one in files if one is not table)] if table is not None else list(files)
    inner = [name for name in folder.folders() if _INNER.fullmatch(name)]
    ignored = [IgnoredFile(name, say("profiles.ignored.inner-prof")) for name in inner]
    closed = next((one for one in ordered if not one.readable), None)
    problems = [permission_problem(str(folder.path / one.file)) for one in ordered if not one.readable]
    if closed is not None:
        state = no_permission(str(folder.path / closed.file))
    elif settling(ordered, now):
        state = State("exporting", say("profiles.reason.being-analysed"))
    elif table is None or not table.size:
        state = State("empty", say("profiles.reason.zero-bytes", file=ordered[0].name))
    elif DETAIL.fullmatch(table.name) is None:
        state = State("partial", say("files.reason.types-alone", file=table.name))
    else:
        state = State("ready")
    return make_run(folder.path, KIND, state, ordered, ignored, problems, rank)


def _without_operators(folder: Folder, facts: Sequence[Fact], ranks: Sequence[int]) -> Run:
    held = sorted({one.name for one in facts})
    listed = ", ".join(held[:3]) + (", …" if len(held) > 3 else "")
    reason = say("files.reason.no-operators", files=len(facts), names=listed)
    newest = max((one.changed_at for one in facts), default=0.0)
    rank = ranks[0] if len(ranks) == 1 else None
    return make_run(folder.path, KIND, State("partial", reason), (), (), (), rank, newest)
