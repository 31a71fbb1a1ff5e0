"""What `doctor` looks at: each check is one line with a state, a sentence, and what mends it."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from npuscope.cli import calibrations
from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.readings import Reading
from npuscope.parsers.say import Say, Value, say
from npuscope.sources import cachefolder, events, surroundings
from npuscope.sources.command import MSPROF, find_program

OK, NOTE, LACKS = "ok", "note", "lacks"
PACKAGES = ("textual", "rich", "pandas", "numpy", "watchdog", "psutil", "platformdirs")
LEAST_COLUMNS, LEAST_ROWS = 80, 24
LEAST_FREE = 1_000_000_000
MOST_COUNTED = 200_000
NEEDS = ("collected", "partial", "empty", "unreadable", "damaged")


@dataclass(frozen=True)
class Check:
    """One line: what was looked at, how it stands, what mends it, and the raw values for --json."""

    area: str
    name: str
    state: str
    text: Say
    fix: Say | None = None
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Terminal:
    """Where the output goes. columns, rows None = it is no terminal; colors: truecolor, 256, standard or None."""

    name: str
    columns: int | None
    rows: int | None
    colors: str | None
    ascii_only: bool
    locale: str


def program() -> list[Check]:
    """Python and the packages."""
    version = platform.python_version()
    checks = [
        Check(
            "program",
            "Python",
            OK,
            say("doctor.python", version=version, path=sys.executable),
            None,
            {"version": version},
        )
    ]
    for name, found in surroundings.package_versions(PACKAGES).items():
        if found is None:
            fix = say("doctor.do.package", name=name)
            checks.append(Check("program", name, LACKS, say("doctor.no_package"), fix, {"version": None}))
        else:
            checks.append(Check("program", name, OK, say("doctor.version", version=found), None, {"version": found}))
    return checks


def screen(terminal: Terminal) -> list[Check]:
    """The terminal."""
    return [_terminal(terminal), _size(terminal), _colors(terminal), _letters(terminal)]


def _terminal(terminal: Terminal) -> Check:
    values: dict[str, Value] = {"term": terminal.name}
    if terminal.name in ("", "dumb", "unknown"):
        text, fix = say("doctor.dumb", term=terminal.name or "-"), say("doctor.do.term")
        return Check("screen", "terminal", LACKS, text, fix, values)
    return Check("screen", "terminal", OK, say("doctor.term", term=terminal.name), None, values)


def _size(terminal: Terminal) -> Check:
    columns, rows = terminal.columns, terminal.rows
    values: dict[str, Value] = {"columns": columns, "rows": rows}
    if columns is None or rows is None:
        return Check("screen", "size", NOTE, say("doctor.no_tty"), say("doctor.do.tty"), values)
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        text = say("doctor.small", columns=columns, rows=rows, least_columns=LEAST_COLUMNS, least_rows=LEAST_ROWS)
        return Check("screen", "size", LACKS, text, say("doctor.do.size"), values)
    return Check("screen", "size", OK, say("doctor.size", columns=columns, rows=rows), None, values)


def _colors(terminal: Terminal) -> Check:
    values: dict[str, Value] = {"colors": terminal.colors}
    if terminal.colors in ("truecolor", "256"):
        return Check("screen", "colours", OK, say(f"doctor.colors.{terminal.colors}"), None, values)
    fix = say("doctor.do.colors") if terminal.colors == "standard" else None
    return Check("screen", "colours", NOTE, say(f"doctor.colors.{terminal.colors or 'none'}"), fix, values)


def _letters(terminal: Terminal) -> Check:
    values: dict[str, Value] = {"ascii": terminal.ascii_only, "locale": terminal.locale}
    if not terminal.ascii_only:
        return Check("screen", "letters", OK, say("doctor.unicode", locale=terminal.locale or "-"), None, values)
    text = say("doctor.ascii", locale=terminal.locale or "-")
    return Check("screen", "letters", NOTE, text, say("doctor.do.locale"), values)


def live(reading: Reading, path: str | None, root: Path) -> list[Check]:
    """npu-smi by one call that was made, the device files, the driver."""
    return [_npu_smi(reading, path), _devices(surroundings.devices(root)), _driver(root)]


def _npu_smi(reading: Reading, path: str | None) -> Check:
    source = reading.source
    values: dict[str, Value] = {
        "path": path,
        "version": source.tool_version,
        "chips": len(reading.chips),
        "elapsed_s": round(reading.elapsed_s, 3),
    }
    if reading.problems:
        first = reading.problems[0]
        state = NOTE if reading.chips else LACKS
        return Check("live", "npu-smi", state, first.message, first.hint, {**values, "problem": first.code})
    key = "doctor.smi" if source.tool_version else "doctor.smi.no_version"
    text = say(key, path=path, version=source.tool_version, chips=len(reading.chips), us=reading.elapsed_s * 1e6)
    return Check("live", "npu-smi", OK, text, None, values)


def _devices(found: surroundings.Devices) -> Check:
    values: dict[str, Value] = {"devices": found.count, "closed": found.closed}
    if not found.count:
        return Check("live", "devices", NOTE, say("doctor.no_devices"), say("doctor.do.devices"), values)
    if found.closed is not None:
        fix = say("doctor.do.group", group=found.group) if found.group else say("doctor.do.devices")
        return Check("live", "devices", LACKS, say("doctor.closed", path=found.closed), fix, values)
    return Check("live", "devices", OK, say("doctor.devices", n=found.count), None, values)


def _driver(root: Path) -> Check:
    version = surroundings.driver_version(root)
    if version is None:
        return Check(
            "live",
            "driver",
            NOTE,
            say("doctor.no_driver", path="/" + surroundings.DRIVER_INFO),
            None,
            {"version": None},
        )
    return Check("live", "driver", OK, say("doctor.version", version=version), None, {"version": version})


def profiles(environ: Mapping[str, str], root: Path) -> list[Check]:
    """What exporting and collecting need; reading tables needs nothing."""
    found = surroundings.cann(environ, root)
    homes = tuple(str(root / home) for home in surroundings.CANN_HOMES)
    program = find_program(MSPROF, environ, homes)
    checks = [Check("profiles", "reading", OK, say("doctor.reading"))]
    if program is None:
        fix = say("doctor.do.set_env", home=found.home) if found else say("doctor.do.toolkit")
        checks.append(Check("profiles", MSPROF, LACKS, say("doctor.no_msprof"), fix, {"path": None}))
    else:
        checks.append(Check("profiles", MSPROF, OK, say("doctor.msprof", path=program), None, {"path": program}))
    return [*checks, _cann(found), _cache(), *_calibrations()]


def _calibrations() -> list[Check]:
    """The memory bandwidths that were measured on this user's chips."""
    path = calibrations.place()
    values: dict[str, Value] = {"path": str(path)}
    try:
        kept = calibrations.read(path)
    except calibrations.CalibrationFileError as error:
        text, fix = say("doctor.calibration.broken", why=str(error)), say("doctor.do.reset")
        return [Check("profiles", "HBM", LACKS, text, fix, values)]
    if not kept:
        return [Check("profiles", "HBM", OK, say("doctor.calibration.none"), None, values)]
    return [
        Check("profiles", "HBM", OK, say("doctor.calibration", **asdict(one)), None, {**values, **asdict(one)})
        for one in kept
    ]


def _cache() -> Check:
    """Where runs that were read are kept, and how much of it is there."""
    folder = cachefolder.usual_folder()
    if folder is None:
        return Check("profiles", "cache", NOTE, say("doctor.cache.none"), say("doctor.do.cache"), {"path": None})
    kept = cachefolder.CacheFolder(folder)
    reason, content = kept.obstacle(), kept.content()
    values: dict[str, Value] = {
        "path": str(folder),
        "off": reason,
        "bytes": content.bytes,
        "most_bytes": kept.limit_bytes,
        "runs": content.runs,
    }
    if reason is not None:
        text = say(f"doctor.cache.{reason}", path=str(folder))
        return Check("profiles", "cache", NOTE, text, say("doctor.do.cache"), values)
    text = say("doctor.cache", path=str(folder), bytes=content.bytes, most=kept.limit_bytes, runs=content.runs)
    return Check("profiles", "cache", OK, text, None, values)


def _cann(found: surroundings.Cann | None) -> Check:
    if found is None:
        return Check("profiles", "CANN", NOTE, say("doctor.no_cann"), None, {"home": None, "version": None})
    key = "doctor.cann" if found.version else "doctor.cann.no_version"
    text = say(key, home=found.home, version=found.version, variable=found.variable or "-")
    return Check("profiles", "CANN", OK, text, None, {"home": found.home, "version": found.version})


def folder(path: Path, root: Path, now: float | None = None) -> list[Check]:
    """The folder that would be watched."""
    disk = surroundings.disk(path, root)
    return [
        _runs(path, time.time() if now is None else now),
        _watching(path, disk, root),
        _space(path, disk),
        _writing(),
    ]


def _runs(path: Path, now: float) -> Check:
    if not path.exists():
        return Check("folder", "profiles", LACKS, say("doctor.no_folder", path=str(path)), say("doctor.do.folder"))
    states = Counter(run.state for run in find_runs(path, now))
    values: dict[str, Value] = {"path": str(path), "runs": sum(states.values()), **dict(states)}
    if not states:
        return Check(
            "folder", "profiles", NOTE, say("doctor.no_runs", path=str(path)), say("doctor.do.collect"), values
        )
    needs = sum(states[state] for state in NEEDS)
    text = say("doctor.runs", path=str(path), runs=sum(states.values()), ready=states["ready"], needs=needs)
    return Check("folder", "profiles", OK, text, None, values)


def _watching(path: Path, disk: surroundings.Disk, root: Path) -> Check:
    reason = events.obstacle(str(path))
    watches = surroundings.limit(root, "max_user_watches")
    folders = surroundings.folders_below(path, MOST_COUNTED)
    values: dict[str, Value] = {
        "file_system": disk.kind,
        "polling": reason,
        "folders": folders,
        "max_user_watches": watches,
        "max_user_instances": surroundings.limit(root, "max_user_instances"),
    }
    if reason is None and (watches is None or folders <= watches):
        text = say("doctor.events", kind=disk.kind, folders=folders, watches=watches)
        return Check("folder", "watching", OK, text, None, values)
    if reason in (None, events.LIMIT, events.MANY):
        text = say("doctor.limit", folders=folders, watches=watches)
        return Check("folder", "watching", NOTE, text, say("doctor.do.inotify"), values)
    key = f"watch.{reason.replace(' ', '_')}"
    return Check(
        "folder",
        "watching",
        NOTE,
        say(key) if reason in events.REASONS else say("watch.kind", kind=reason),
        None,
        values,
    )


def _space(path: Path, disk: surroundings.Disk) -> Check:
    values: dict[str, Value] = {"free_bytes": disk.free_bytes}
    if disk.free_bytes is None:
        return Check("folder", "space", NOTE, say("doctor.space.unknown"), None, values)
    few = disk.free_bytes < LEAST_FREE
    fix = say("doctor.do.space") if few else None
    return Check("folder", "space", LACKS if few else OK, say("doctor.space", free=disk.free_bytes), fix, values)


def _writing() -> Check:
    here = os.getcwd()  # noqa: PTH109
    writable = os.access(here, os.W_OK | os.X_OK)
    key, fix = ("doctor.export", None) if writable else ("doctor.export.closed", say("doctor.do.export"))
    return Check("folder", "export", OK if writable else NOTE, say(key, path=here), fix, {"path": here})
