"""*_ascend_pt and *_ascend_ms folders. The PROF_* inside is raw data of the same run, never a second run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from npuscope.parsers.discovery.files import (
    QUIET_S,
    Fact,
    Folder,
    State,
    changed,
    is_young,
    make_run,
    no_permission,
    permission_problem,
    settling,
    unreadable,
)
from npuscope.parsers.discovery.msprof import has_device_data
from npuscope.parsers.profile import IgnoredFile, Run
from npuscope.parsers.say import say

OUTPUT = "ASCEND_PROFILER_OUTPUT"
KERNEL_DETAILS = re.compile(r"kernel_details(?:_\d+)?\.csv")
OP_STATISTIC = re.compile(r"op_statistic(?:_\d+)?\.csv")
DATABASE = re.compile(r"ascend_(?:pytorch|mindspore)_profiler(?:_\d+)?\.db")
_MINDSPORE = re.compile(r"ascend_mindspore_profiler(?:_\d+)?\.db|dataset\.csv|minddata_pipeline_.*\.csv")
INFO = re.compile(r"profiler_info(?:_(?P<rank>\d{1,7}))?\.json")
_DONE = re.compile(r"analyse\.done")
_ANY = re.compile(r".+")
_INNER = re.compile(r"PROF_.+")


def kind_of(folder: Folder) -> str:
    """torch_npu or mindspore."""
    if folder.path.name.endswith("_ascend_ms") or folder.sub(OUTPUT).has(_MINDSPORE):
        return "mindspore"
    return "torch_npu"


def look_at_framework(folder: Folder, now: float) -> Run:
    """The run of a framework profiler's folder, from names, sizes and times."""
    kind = kind_of(folder)
    if folder.error is not None:
        return unreadable(folder.path, kind, folder.error)
    output = folder.sub(OUTPUT)
    if output.error is not None:
        return unreadable(folder.path, kind, output.error, output.path)
    prefix = f"{OUTPUT}/"
    tables = output.facts(KERNEL_DETAILS, prefix)
    statistics = output.facts(OP_STATISTIC, prefix)
    databases = output.facts(DATABASE, prefix)
    files = [*tables, *statistics, *(() if any(one.size for one in tables) else databases)]
    state = _state(folder, output, kind, tables, statistics, databases, now)
    problems = [permission_problem(str(folder.path / one.file)) for one in files if not one.readable]
    inner = [name for name in folder.folders() if _INNER.fullmatch(name)]
    ignored = [IgnoredFile(name, say("profiles.ignored.inner-prof")) for name in inner]
    if any(one.size for one in tables):
        ignored += [IgnoredFile(one.file, say("profiles.ignored.same-as-csv")) for one in databases]
    settings = folder.facts(INFO)
    changed_at = max((one.changed_at for one in settings), default=None)
    beside = [*settings, *output.beside(prefix)]
    return make_run(folder.path, kind, state, files, ignored, problems, rank_of(folder), changed_at, beside)


def rank_of(folder: Folder) -> int | None:
    """The rank in the name of profiler_info_<rank>.json; None without one, or with several."""
    matches = (INFO.fullmatch(name) for name in folder.entries)
    ranks = {match.group("rank") for match in matches if match and match.group("rank") is not None}
    return int(ranks.pop()) if len(ranks) == 1 else None


def analyse_command(path: Path, kind: str) -> str:
    """The Python call that analyses a raw folder, as one shell command."""
    module = "mindspore.profiler.profiler" if kind == "mindspore" else "torch_npu.profiler.profiler"
    lines = f"from {module} import analyse; analyse({str(path)!r})"
    return f"python3 -c {shlex.quote(lines)}"


def _state(
    folder: Folder,
    output: Folder,
    kind: str,
    tables: Sequence[Fact],
    statistics: Sequence[Fact],
    databases: Sequence[Fact],
    now: float,
) -> State:
    command = analyse_command(folder.path, kind)
    if OUTPUT not in folder.entries:
        return _raw_state(folder, command, now)
    written = output.facts(_ANY)
    closed = next((one for one in [*tables, *statistics, *databases] if not one.readable), None)
    if closed is not None:
        return no_permission(str(folder.path / closed.file))
    if settling(written, now) and not _finished(output, written):
        return State("exporting", say("profiles.reason.being-analysed"))
    if any(one.size for one in tables):
        return State("ready")
    if any(one.size for one in databases):
        return State("ready", say("profiles.reason.database-instead", file=tables[0].name) if tables else None)
    if any(one.size for one in statistics):
        key = "profiles.reason.statistic-only" if tables else "profiles.reason.statistic-alone"
        return State("partial", say(key, file=tables[0].name if tables else None), command)
    if tables:
        return State("empty", say("profiles.reason.zero-bytes", file=tables[0].name), command)
    inner = [folder.sub(name) for name in folder.folders() if _INNER.fullmatch(name)]
    if inner and not any(map(has_device_data, inner)):  # an analysis has nothing to give
        return State("partial", say("profiles.reason.no-device-data"))
    return State("partial", say("profiles.reason.no-kernel-details"), command)


def _finished(output: Folder, written: Sequence[Fact]) -> bool:
    done = output.facts(_DONE)
    return bool(done) and done[0].changed_at >= max(one.changed_at for one in written)


def _raw_state(folder: Folder, command: str, now: float) -> State:
    if not folder.entries:
        return State("empty", say("profiles.reason.empty-folder"))
    newest = max((one.changed_at for one in folder.facts(_ANY)), default=0.0)
    for name in folder.folders():
        newest = max(newest, changed(folder.path / name))
    if is_young(newest, now, QUIET_S) and not folder.has(INFO):
        return State("collecting", say("profiles.reason.collecting"))
    return State("collected", say("profiles.reason.not-analysed"), command)
