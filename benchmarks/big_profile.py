"""A million operator rows: the type summary and the full table, against counting newlines in the same file.

usage: big_profile.py [ROWS]. Each reading runs in a process of its own; prints seconds, the ratio to the floor and the
peak memory. The budgets: types in six times the floor, the full table in 2.5 s where the floor is 0.17 s,
with 450 MB.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_op_summary import make

BLOCK_BYTES = 1 << 24


def count_newlines(path: str) -> int:
    """The floor: every byte is seen once."""
    count = 0
    with Path(path).open("rb", buffering=0) as handle:
        while block := handle.read(BLOCK_BYTES):
            count += block.count(b"\n")
    return count


def types(path: str) -> int:
    """What the screen shows first."""
    from npuscope.parsers.discovery import look_at
    from npuscope.parsers.msprof.reader import quick_types

    run = look_at(Path(path), time.time() + 60)
    assert run is not None
    return int(quick_types(run).numbers("count").sum())


def full(path: str) -> int:
    """What follows; pandas was imported while the types were shown."""
    from npuscope.parsers.msprof import op_summary

    return len(op_summary.read(path).table)


READINGS = {reading.__name__: reading for reading in (count_newlines, types, full)}


def measured(name: str, path: str) -> tuple[float, int]:
    """Seconds and peak MB of one reading, best of three."""
    found = []
    for _ in range(3):
        out = subprocess.run(
            [sys.executable, __file__, "--one", name, path], check=True, capture_output=True, text=True
        )
        seconds, megabytes = out.stdout.split()
        found.append((float(seconds), int(megabytes)))
    return min(found)


def main() -> None:
    """Make the file, read it each way, print a line a reading."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "op_summary_20260102030405.csv"
        make(path, rows)
        floor = 0.0
        for name in READINGS:
            seconds, megabytes = measured(name, str(path))
            floor = floor or seconds
            print(f"{name:16} {seconds:6.2f} s  {seconds / floor:5.1f} x  peak {megabytes} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        import npuscope.parsers.msprof.csv_fast
        import npuscope.parsers.msprof.reader  # noqa: F401  imports are not the reading

        began = time.perf_counter()
        READINGS[sys.argv[2]](sys.argv[3])
        print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    else:
        main()
