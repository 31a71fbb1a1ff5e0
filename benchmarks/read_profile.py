"""A million operator rows: their types, the whole table, and the whole table once more, beside what others need.

usage: read_profile.py [ROWS]

Every reading runs in a fresh process, after its imports; the best of three counts. The floor counts the newlines of the
same file. Peers do the same work: group the rows by type, or read all of their columns. duckdb takes part where it is
installed, with every core it finds. Budgets: types in 6 times the floor and level with duckdb, all columns in
2.5 s and 450 MB, again in 100 ms.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fresh import ONE, Reading, count_newlines, head, line, measured, one
from make_op_summary import make

RUNS = 3
USUAL = "npuscope.tui.opening npuscope.parsers.msprof.tables.csv_fast"
TYPE, DURATION = "OP Type", "Task Duration(us)"


def run_of(path: str) -> Any:
    """The file as discovery finds it."""
    from npuscope.parsers.discovery.runs import look_at

    return look_at(Path(path), time.time() + 60)


def types(path: str) -> int:
    """What the screen shows first."""
    from npuscope.parsers.msprof.reader import quick_types

    return int(quick_types(run_of(path)).numbers("count").sum())


def types_duckdb(path: str) -> int:
    import duckdb

    found = duckdb.sql(f'SELECT "{TYPE}", count(*), sum("{DURATION}") FROM read_csv(\'{path}\') GROUP BY 1').fetchall()
    return sum(row[1] for row in found)


def types_pandas(path: str) -> int:
    import pandas as pd

    frame = pd.read_csv(path, usecols=[TYPE, DURATION], index_col=False)
    return int(frame.groupby(TYPE)[DURATION].count().sum())


def types_csv(path: str) -> int:
    import csv

    found: dict[str, list[float]] = {}
    with Path(path).open(encoding="utf-8", newline="") as handle:
        rows = csv.reader(handle)
        header = next(rows)
        kind, duration = header.index(TYPE), header.index(DURATION)
        for row in rows:
            entry = found.setdefault(row[kind], [0, 0.0])
            entry[0] += 1
            entry[1] += float(row[duration])
    return int(sum(entry[0] for entry in found.values()))


def whole(path: str) -> int:
    """All columns, typed, checked, joined: a Profile."""
    from npuscope.parsers.msprof.reader import read_profile

    return len(read_profile(run_of(path)).ops)


def whole_pandas(path: str) -> int:
    import pandas as pd

    return len(pd.read_csv(path, index_col=False))


def whole_duckdb(path: str) -> int:
    import duckdb

    duckdb.sql(f"CREATE TABLE ops AS SELECT * FROM read_csv('{path}')")
    return int(duckdb.sql("SELECT count(*) FROM ops").fetchall()[0][0])


def whole_csv(path: str) -> int:
    import csv

    with Path(path).open(encoding="utf-8", newline="") as handle:
        return len(list(csv.reader(handle))) - 1


def judged(path: str) -> int:
    """Read, labelled and kept in the cache: what opening it the first time takes."""
    from npuscope.tui.opening import open_summary, usual_cache

    return len(open_summary(run_of(path), cache=usual_cache()).ops)


def profile_again(path: str) -> int:
    """The Profile out of the cache."""
    from npuscope.parsers.msprof.reader import read_profile
    from npuscope.sources import loading
    from npuscope.tui.opening import usual_cache

    assert loading.read_profile is read_profile
    loading.read_profile = refused
    return len(loading.load(run_of(path), None, usual_cache()).ops)


def judged_again(path: str) -> int:
    """Profile and labels out of the cache."""
    from npuscope.tui import opening

    opening.load = opening.summarize = refused
    return len(opening.open_summary(run_of(path), cache=opening.usual_cache()).ops)


def refused(*args: object) -> Any:
    """Nothing may be read or judged again."""
    raise SystemExit("it was not in the cache")


READINGS = (
    Reading("newlines counted", count_newlines),
    Reading("types", types, USUAL),
    Reading("  duckdb, group by", types_duckdb, "duckdb"),
    Reading("  pandas, two columns", types_pandas, "pandas"),
    Reading("  csv module", types_csv, "csv"),
    Reading("all columns", whole, USUAL),
    Reading("  duckdb, table in memory", whole_duckdb, "duckdb"),
    Reading("  pandas, as it comes", whole_pandas, "pandas"),
    Reading("  csv module, lists of text", whole_csv, "csv"),
    Reading("all columns, labels, kept", judged, USUAL),
    Reading("again: all columns", profile_again, USUAL),
    Reading("again: all columns, labels", judged_again, USUAL),
)


def nothing_kept() -> None:
    """What is kept is read again, and not judged anew."""
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)


def main() -> None:
    """Make the file, read it each way, print a line a reading."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data" / "op_summary_20260102030405.csv"
        path.parent.mkdir()
        make(path, rows)
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        print(f"{rows} rows, {path.stat().st_size / 1e6:.0f} MB")
        head("rows")
        floor = None
        for number, reading in enumerate(READINGS):
            if reading.imports and importlib.util.find_spec(reading.imports.split()[0]) is None:
                print(f"{reading.name:34} is not installed")
                continue
            before = nothing_kept if reading.work is judged else int
            cost = measured(__file__, number, str(path), RUNS, before)
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
