"""PROF_* folders: old layout (device_N/summary) and new layout (mindstudio_profiler_output)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npuscope.parsers.discovery.files import (
    QUIET_S,
    Fact,
    Folder,
    State,
    changed,
    collect_command,
    export_command,
    is_young,
    make_run,
    no_permission,
    permission_problem,
    settling,
    stamp_of,
    unreadable,
)
from npuscope.parsers.profile import IgnoredFile, Run
from npuscope.parsers.say import Problem, say

OUTPUT = "mindstudio_profiler_output"
OP_SUMMARY = re.compile(r"op_summary(?:_slice_(?P<slice>\d+))?(?P<ids>(?:_\d{1,10})*?)(?:_(?P<stamp>\d{14}))?\.csv")
OP_STATISTIC = re.compile(r"op_statistic(?P<ids>(?:_\d{1,10})*?)(?:_(?P<stamp>\d{14}))?\.csv")
MSPROF_DB = re.compile(r"msprof(?:_\w+)?\.db")
DEVICE = re.compile(r"device_\d+")
_ANY_OUTPUT = re.compile(r".+\.(?:csv|json)")
_RAW = re.compile(r".*\.data.*|.*\.slice_\d+|hwts.*|aicore.*")
_JSON = re.compile(r".+\.json")
_IDS = re.compile(r"(?:_\d+)*\.json$")
_END = re.compile(r"end_info(?:\.\d+)?")
_INFO = re.compile(r"info\.json(?:\.\d+)?")
_RANK_ID = re.compile(rb'"rank_id"\s*:\s*"?(-?\d{1,6})"?\s*[,}]')


def look_at_prof(folder: Folder, now: float, kind: str = "msprof") -> Run:
    """The run of a PROF folder, from names, sizes and times."""
    if folder.error is not None:
        return unreadable(folder.path, kind, folder.error)
    output = folder.sub(OUTPUT)
    if output.error is not None:
        return unreadable(folder.path, kind, output.error, output.path)
    tables, older = _tables(folder, output, OP_SUMMARY)
    statistics, _ = _tables(folder, output, OP_STATISTIC)
    databases, older_databases = _newest_database(folder.facts(MSPROF_DB))
    has_rows = any(one.size for one in tables)
    ignored = [IgnoredFile(one.file, say("profiles.ignored.older-export")) for one in [*older, *older_databases]]
    ignored += [IgnoredFile(one.file, say("profiles.ignored.same-as-csv")) for one in databases if has_rows]
    problems = _older_problem(older if has_rows else [*older, *older_databases])
    files, state = _state(folder, output, tables, statistics, databases, now)
    if state.state == "unreadable":
        problems = [*problems, *(permission_problem(str(folder.path / one.file)) for one in files if not one.readable)]
    beside = _beside(folder, output)
    return make_run(
        folder.path, kind, state, files, ignored, problems, rank_of(folder), _changed(folder, output), beside
    )


def rank_of(folder: Folder) -> int | None:
    """The rank that the collector wrote into host/info.json, in old layouts into that of each device; None where it
    knew none (-1), or where the devices are of several ranks.

    It is looked for in the text: a list of thousands of folders has no time to understand each of these files.
    """
    told = _rank_ids(folder.head("host/info.json")) if "host" in folder.entries else set()
    for name in folder.folders() if not told else ():
        if DEVICE.fullmatch(name):
            device = folder.sub(name)
            told |= {one for file in device.facts(_INFO) for one in _rank_ids(device.head(file.name))}
    return told.pop() if len(told) == 1 and min(told) >= 0 else None


def _rank_ids(text: bytes) -> set[int]:
    return {int(found) for found in _RANK_ID.findall(text)}


def _beside(folder: Folder, output: Folder) -> list[Fact]:
    """What is read with the tables: of the export, or of each device's."""
    if output.entries:
        return output.beside(f"{OUTPUT}/")
    devices = [name for name in folder.folders() if DEVICE.fullmatch(name)]
    return [one for name in devices for one in folder.sub(name).sub("summary").beside(f"{name}/summary/")]


def _tables(folder: Folder, output: Folder, pattern: re.Pattern[str]) -> tuple[list[Fact], list[Fact]]:
    """The newest export's tables of each folder and id, and the older ones."""
    found = output.facts(pattern, f"{OUTPUT}/")
    if not found:
        for device in (name for name in folder.folders() if DEVICE.fullmatch(name)):
            found += folder.sub(device).sub("summary").facts(pattern, f"{device}/summary/")
    groups: dict[tuple[str, str], list[Fact]] = {}
    for one in found:
        match = pattern.fullmatch(one.name)
        groups.setdefault((one.file.rpartition("/")[0], match.group("ids") if match else ""), []).append(one)
    newest = [one for group in groups.values() for one in newest_export(group, pattern)]
    return newest, [one for one in found if one not in newest]


def newest_export(facts: Sequence[Fact], pattern: re.Pattern[str] = OP_SUMMARY) -> list[Fact]:
    """Of several exports of one table the newest; its slices are the ones written after its first part."""
    parts: dict[int, list[Fact]] = {}
    for one in sorted(facts, key=lambda one: (stamp_of(one.name), one.changed_at)):
        match = pattern.fullmatch(one.name)
        number = match.groupdict().get("slice") if match else None
        parts.setdefault(int(number or 0), []).append(one)
    first = parts.pop(0, None)
    if first is None:
        first = parts.pop(min(parts))
    kept = [first[-1]]
    for number in sorted(parts):
        if stamp_of(parts[number][-1].name) >= stamp_of(kept[0].name):
            kept.append(parts[number][-1])
    return kept


def _newest_database(facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    ordered = sorted(facts, key=lambda one: (stamp_of(one.name), one.changed_at))
    return ordered[-1:], ordered[:-1]


def _older_problem(older: Sequence[Fact]) -> list[Problem]:
    if not older:
        return []
    return [Problem("older-export", say("profiles.problem.older-export", files=len(older), file=older[0].name))]


def _changed(folder: Folder, output: Folder) -> float:
    return max(changed(folder.path), changed(output.path))


def _state(
    folder: Folder,
    output: Folder,
    tables: Sequence[Fact],
    statistics: Sequence[Fact],
    databases: Sequence[Fact],
    now: float,
) -> tuple[list[Fact], State]:
    files = [*tables, *statistics] or list(databases)
    closed = next((one for one in files if not one.readable), None)
    if closed is not None:
        return files, no_permission(str(folder.path / closed.file))
    if files and _being_written(output, [*files, *output.facts(_ANY_OUTPUT, f"{OUTPUT}/")], now):
        return files, State("exporting", say("profiles.reason.being-written", file=_youngest(files).name))
    if any(one.size for one in tables):
        return files, State("ready")
    if any(one.size for one in databases):
        instead = say("profiles.reason.database-instead", file=tables[0].name) if tables else None
        return [*tables, *statistics, *databases], State("ready", instead)
    if tables:
        return files, _empty_tables(folder, tables, statistics)
    if statistics or output.entries or databases:
        return files, _without_table(folder, output, statistics, databases, now)
    return files, _timelines(folder) or _raw_state(folder, now)


def _timelines(folder: Folder) -> State | None:
    """Of an old export (device_N/timeline, no summary) what it holds."""
    held = {name: folder.sub(name).sub("timeline").facts(_JSON) for name in folder.folders() if DEVICE.fullmatch(name)}
    files = [one.name for found in held.values() for one in found]
    if not files:
        return None
    kinds = sorted({_IDS.sub("", name) for name in files})
    reason = say("files.reason.timelines", files=len(files), kinds=", ".join(kinds))
    return State("partial", reason, _command(folder))


def _command(folder: Folder) -> str:
    """What leads on: the export of raw data; without any of a device an export has nothing to give."""
    return export_command(folder.path) if has_device_data(folder) else collect_command(folder.path)


def _being_written(output: Folder, facts: Sequence[Fact], now: float) -> bool:
    if not settling(facts, now):
        return False
    readme = output.facts(re.compile(r"README\.txt"))
    return not (readme and readme[0].changed_at >= max(one.changed_at for one in facts if one.name != "README.txt"))


def _youngest(files: Sequence[Fact]) -> Fact:
    return max(files, key=lambda one: one.changed_at)


def _empty_tables(folder: Folder, tables: Sequence[Fact], statistics: Sequence[Fact]) -> State:
    if any(one.size for one in statistics):
        reason = say("profiles.reason.statistic-only", file=tables[0].name)
        return State("partial", reason, _command(folder))
    return State("empty", say("profiles.reason.zero-bytes", file=tables[0].name), _command(folder))


def _without_table(
    folder: Folder, output: Folder, statistics: Sequence[Fact], databases: Sequence[Fact], now: float
) -> State:
    command = _command(folder)
    if settling(output.facts(_ANY_OUTPUT), now):
        return State("exporting", say("profiles.reason.export-started"), export_command(folder.path))
    if any(one.size for one in statistics):
        return State("partial", say("profiles.reason.statistic-alone"), command)
    if databases and not output.entries:
        return State("empty", say("profiles.reason.zero-bytes", file=databases[0].name), command)
    if not has_device_data(folder):
        return State("partial", say("profiles.reason.no-device-data"), command)
    return State("partial", say("profiles.reason.no-op-summary"), command)


def has_device_data(folder: Folder) -> bool:
    """Whether any device folder holds raw data (not only the collector's notes)."""
    return any(holds_raw_data(folder.sub(name)) for name in folder.folders() if DEVICE.fullmatch(name))


def holds_raw_data(device: Folder) -> bool:
    """Whether a device's folder holds raw data."""
    return device.sub("data").has(_RAW)


def _raw_state(folder: Folder, now: float) -> State:
    sides = [folder.sub(name) for name in folder.folders() if name == "host" or DEVICE.fullmatch(name)]
    if not sides:
        if is_young(_changed(folder, folder), now, QUIET_S):
            return State("collecting", say("profiles.reason.just-created"))
        return State("empty", say("profiles.reason.empty-folder"), None)
    raw = [one for side in sides for one in side.sub("data").facts(re.compile(r".+"))]
    notes = [one for side in sides for one in side.facts(re.compile(r".+"))]
    ended = any(side.has(_END) for side in sides)
    command = _command(folder)
    if any(is_young(changed(side.path / "sqlite"), now) for side in sides if "sqlite" in side.entries):
        return State("exporting", say("profiles.reason.being-parsed"), export_command(folder.path))
    newest = max((one.changed_at for one in [*raw, *notes]), default=0.0)
    if not ended and is_young(newest, now, QUIET_S):
        return State("collecting", say("profiles.reason.collecting"))
    if not raw:
        return State("partial", say("profiles.reason.no-raw-data"), command)
    if not has_device_data(folder):
        return State("partial", say("profiles.reason.no-device-data"), command)
    return State("collected", say("profiles.reason.not-exported" if ended else "profiles.reason.cut-short"), command)
