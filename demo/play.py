"""The demo's folder: recorded profiles appear in it one after the other, grow and become ready, as if taken now."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from npuscope.demo.make import HERE, PROFILES, READINGS
from npuscope.demo.prof import COLLECT_US, EPOCH
from npuscope.sources.recording import RecordingSource

BEGIN_S = (1.0, 16.0, 37.0, 52.0, 67.0, 82.0)  # the gap in the middle is the recording's stall, with nothing beside it
COLLECTED_S, EXPORT_S, TABLE_S, STATISTIC_S, DONE_S = 2.0, 2.8, 0.6, 4.8, 5.0
PIECES = 3
LEAD_S = 120.0  # what a person finds as history at the start; the recording's stall comes 19 s later
STOP_S = 0.4
PREFIX, STALE_S = "npuscope-demo-", 86_400.0


@dataclass(frozen=True)
class Step:
    """At `at_s` after the beginning, file `path` of run number `run` reaches part `piece` of `pieces`."""

    at_s: float
    run: int
    path: str
    piece: int = 1
    pieces: int = 1


def schedule(runs: Sequence[Iterable[str]]) -> tuple[Step, ...]:
    """What happens when: per run its files, relative to its folder, in the order they come into being."""
    steps = [step for number, paths in enumerate(runs) for step in _growth(number, paths)]
    return tuple(sorted(steps, key=lambda step: step.at_s))


def _growth(number: int, paths: Iterable[str]) -> Iterable[Step]:
    """Notes and raw data first, the end of the collection, then the tables in pieces."""
    begin = BEGIN_S[number]
    for path in paths:
        name = path.rpartition("/")[2]
        if name.startswith("end_info"):
            yield Step(begin + COLLECTED_S, number, path)
        elif name.startswith("op_summary"):
            for piece in range(1, PIECES + 1):
                yield Step(begin + EXPORT_S + TABLE_S * (piece - 1), number, path, piece, PIECES)
        elif name.startswith("op_statistic"):
            yield Step(begin + STATISTIC_S, number, path)
        elif name == "README.txt":
            yield Step(begin + DONE_S, number, path)
        else:
            yield Step(begin + (0.5 if "/data/" in path else 0.0), number, path)


@lru_cache(maxsize=1)
def recorded() -> Mapping[str, Mapping[str, bytes]]:
    """The packed profiles: folder name -> file -> content."""
    found: dict[str, dict[str, bytes]] = {}
    with zipfile.ZipFile(HERE / PROFILES) as archive:
        for entry in archive.namelist():
            folder, _, path = entry.partition("/")
            found.setdefault(folder, {})[path] = archive.read(entry)
    return found


def moved(folder: str, files: Mapping[str, bytes], started_at: float) -> tuple[str, dict[str, bytes]]:
    """A recorded run as if its collection had begun at `started_at` (Unix seconds): its name, its files."""
    began_us = int(json.loads(files["host/start_info"])["collectionTimeBegin"])
    shift_us = round(started_at * 1_000_000) - began_us
    number, _, letters = folder.partition("_")[2].partition("_")
    named = f"PROF_{number}_{_local(began_us + shift_us)}_{letters.partition('_')[2]}"
    return named, {_name(path, shift_us): _content(path, data, shift_us, folder, named) for path, data in files.items()}


def _local(us: int) -> str:
    """17 digits in this box's time, as msprof writes them."""
    moment = datetime.fromtimestamp(us // 1_000_000)
    return f"{moment:%Y%m%d%H%M%S}{us % 1_000_000 // 1000:03d}"


def _name(path: str, shift_us: int) -> str:
    head, _, tail = path.rpartition("_")
    if not tail.endswith(".csv"):
        return path
    recorded_at = datetime.strptime(f"{tail[:14]}+0000", "%Y%m%d%H%M%S%z")
    return f"{head}_{_local(round((recorded_at - EPOCH).total_seconds()) * 1_000_000 + shift_us)[:14]}.csv"


def _content(path: str, data: bytes, shift_us: int, folder: str, named: str) -> bytes:
    if "op_summary" in path:
        return "".join(_row(line, shift_us) for line in data.decode().splitlines(keepends=True)).encode()
    if path.endswith(("start_info", "start_info.0", "end_info", "end_info.0")):
        return _moments(json.loads(data), shift_us)
    return data.replace(folder.encode(), named.encode())


def _row(line: str, shift_us: int) -> str:
    cells = line.split(",", 9)
    whole, _, rest = cells[8].partition(".")
    if whole.isdigit():
        cells[8] = f"{int(whole) + shift_us}.{rest}"
    return ",".join(cells)


def _moments(content: Mapping[str, str], shift_us: int) -> bytes:
    word = "Begin" if "collectionTimeBegin" in content else "End"
    us = int(content[f"collectionTime{word}"]) + shift_us
    date = f"{datetime.fromtimestamp(us // 1_000_000):%Y-%m-%d %H:%M:%S}.{us % 1_000_000:06d}"
    return json.dumps({f"collectionDate{word}": date, f"collectionTime{word}": str(us)}, separators=(",", ":")).encode()


def recorded_source(speed: float = 1.0, lead_s: float = LEAD_S) -> RecordingSource:
    """The recorded readings, without end; `lead()` of it is the history up to the beginning."""
    return RecordingSource(HERE / READINGS, speed=speed, lead_s=lead_s)


class DemoBox:
    """A private folder in which the schedule is played by a thread; `stop` removes it. Usable with `with`.

    speed: how many times faster. OSError when no temporary folder can be made.
    """

    def __init__(self, speed: float = 1.0) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._speed = speed
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> DemoBox:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread = threading.Thread(target=self._play, name="npuscope-demo", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and leave nothing behind."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_S)
        shutil.rmtree(self.folder, ignore_errors=True)

    def fill(self, now: float, unfinished: int = 0) -> None:
        """Write all runs at once, begun at the times they would have; the last `unfinished` are only collected."""
        last = BEGIN_S[-1] + DONE_S
        for number, (folder, files) in enumerate(recorded().items()):
            named, moved_files = moved(folder, files, now - last + BEGIN_S[number])
            whole = number < len(BEGIN_S) - unfinished
            for path, data in moved_files.items():
                if whole or not path.startswith("mindstudio_profiler_output"):
                    _write(self.folder / named / path, data)

    def _play(self) -> None:
        wall, begin = time.time(), time.monotonic()
        runs = list(recorded().items())
        steps = schedule([list(files) for _, files in runs])
        now: dict[int, tuple[str, dict[str, bytes], list[str]]] = {}
        for step in steps:
            if self._stopping.wait(max(0.0, begin + step.at_s / self._speed - time.monotonic())):
                return
            folder, files = runs[step.run]
            if step.run not in now:
                named, content = moved(folder, files, wall + step.at_s / self._speed - COLLECT_US / 1_000_000)
                now[step.run] = named, content, list(content)
            named, content, paths = now[step.run]
            path = paths[list(files).index(step.path)]
            end = len(content[path]) * step.piece // step.pieces
            try:
                _write(self.folder / named / path, content[path][:end])
            except OSError:  # the folder was removed, or the disk is full: the show is over
                return


def _sweep() -> None:
    """Remove what demos left behind that were killed: older than a day, and of no process here."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        pid = folder.name[len(PREFIX) :].partition("-")[0]
        try:
            status = folder.lstat()
        except OSError:
            continue
        old = time.time() - status.st_mtime > STALE_S
        if old and status.st_uid == os.getuid() and pid.isdigit() and not Path("/proc", pid).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
