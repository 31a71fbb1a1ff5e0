"""A big trace: reading it as a timeline against what others make of the same file.

usage: timeline.py [MEGABYTES]

Each reading runs in a process of its own after its imports, the best of three counts. The floor counts the newlines of
the same file, which is reading its bytes. The peers read the whole file at once (json.load, msgspec) or event by event
(ijson), and keep less; they take part where they are installed. Budgets for 600 MB: 2.5 s with msgspec, 10 s without,
70 MB.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

from fresh import ONE, Reading, count_newlines, head, line, measured, one
from make_timeline import make

RUNS = 3
TIMELINE = "npuscope.parsers.msprof.traces.timeline"


def read(path: str) -> int:
    """The timeline, with msgspec where it is installed."""
    from npuscope.parsers.msprof.traces import timeline

    return len(timeline.read(path).events)


def read_plainly(path: str) -> int:
    """The timeline with the json module."""
    from npuscope.parsers.msprof.traces import timeline, trace_events

    timeline.decoder = lambda: trace_events.decode_plainly
    return len(timeline.read(path).events)


def stream(path: str) -> int:
    """The slices block by block, nothing kept."""
    from npuscope.parsers.msprof.traces import timeline

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


READINGS = (
    Reading("bytes read", count_newlines),
    Reading("timeline, with msgspec", read, f"msgspec {TIMELINE}"),
    Reading("  block by block, nothing kept", stream, f"msgspec {TIMELINE}"),
    Reading("timeline, json module alone", read_plainly, TIMELINE),
    Reading("  json.load", json_load, "json"),
    Reading("  msgspec, whole", msgspec_whole, "msgspec"),
    Reading("  ijson", ijson_items, "ijson"),
)


def main() -> None:
    """Make the file, read it each way, print a line a reading."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace_view.json"
        make(path, megabytes)
        print(f"{path.stat().st_size / 1e6:.0f} MB")
        head("slices")
        floor = None
        for number, reading in enumerate(READINGS):
            if reading.imports and importlib.util.find_spec(reading.imports.split()[0]) is None:
                print(f"{reading.name:34} is not installed")
                continue
            cost = measured(__file__, number, str(path), RUNS)
            if cost is None:
                print(f"{reading.name:34} failed, or out of memory")
                continue
            floor = floor or cost
            line(reading.name, cost, floor)


if __name__ == "__main__":
    if sys.argv[1:2] == [ONE]:
        one(READINGS, *sys.argv[2:4])
    else:
        main()
