"""A big trace: reading it as a timeline against what others make of the same file.

usage: timeline.py [MEGABYTES]. Each reading runs in a process of its own, best of three; prints seconds, peak memory
and slices. Budgets for 600 MB: 2.5 s with msgspec, 10 s without, 70 MB. The peers read the whole file at
once (json.load, msgspec) or event by event (ijson), where they are installed.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_timeline import make

RUNS = 3


def read(path: str) -> int:
    """The timeline, with msgspec where it is installed."""
    from npuscope.parsers.msprof import timeline

    return len(timeline.read(path).events)


def read_plainly(path: str) -> int:
    """The timeline with the json module."""
    from npuscope.parsers.msprof import timeline, trace_events

    timeline.decoder = lambda: trace_events.decode_plainly
    return len(timeline.read(path).events)


def stream(path: str) -> int:
    """The slices block by block, nothing kept."""
    from npuscope.parsers.msprof import timeline

    return sum(len(chunk.lanes) for chunk in timeline.events(path))


def json_load(path: str) -> int:
    """The standard library, whole."""
    with Path(path).open("rb") as handle:
        return sum(event.get("ph") == "X" for event in json.load(handle))


def msgspec_whole(path: str) -> int:
    """msgspec, whole."""
    import msgspec

    return sum(event.get("ph") == "X" for event in msgspec.json.decode(Path(path).read_bytes()))


def ijson_items(path: str) -> int:
    """ijson, event by event."""
    import ijson

    with Path(path).open("rb") as handle:
        return sum(event.get("ph") == "X" for event in ijson.items(handle, "item"))


READINGS = {
    reading.__name__: reading for reading in (read, read_plainly, stream, json_load, msgspec_whole, ijson_items)
}


def measured(name: str, path: str) -> tuple[float, int, int] | None:
    """Seconds, peak MB and slices of one reading; None where what it needs is not installed."""
    found = []
    for _ in range(RUNS):
        out = subprocess.run([sys.executable, __file__, "--one", name, path], capture_output=True, text=True)
        if out.returncode:
            return None
        seconds, megabytes, slices = out.stdout.split()
        found.append((float(seconds), int(megabytes), int(slices)))
    return min(found)


def main() -> None:
    """Make the file, read it each way, print a line a reading."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace_view.json"
        make(path, megabytes)
        for name in READINGS:
            found = measured(name, str(path))
            if found is None:
                print(f"{name:16} not installed, or out of memory")
            else:
                print(f"{name:16} {found[0]:6.2f} s  peak {found[1]:5} MB  {found[2]} slices")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        began = time.perf_counter()
        slices = READINGS[sys.argv[2]](sys.argv[3])
        print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, slices)
    else:
        main()
