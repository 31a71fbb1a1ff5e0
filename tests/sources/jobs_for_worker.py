"""Functions that test_worker.py has run in the child, by import name."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Strings, Table
from npuscope.sources.cache import Cache


def double(number):
    print("this must not meet the frames")
    os.write(1, b"nor this")
    return number * 2


def refuse(path):
    raise ParseError(Problem("empty-file", say("profiles.problem.empty-file", file=path), file=path))


def fail():
    raise KeyError("no such thing")


def unpicklable():
    return threading.Lock()


def unpack_forever(path):
    with tempfile.TemporaryDirectory(prefix="npuscope-") as folder:
        (Path(folder) / "table.csv").write_text("x")
        Path(path).write_text(folder)
        threading.Event().wait()


def report(progress):
    progress(0.25)
    return "done"


def table(rows):
    made = Table({"number": np.arange(rows), "name": Strings.of(str(n % 7) for n in range(rows))})
    return {"ops": made, "again": made.extended({})}


def kept_table(folder, rows, broken_times):
    """A table that lies in a cache; its file is taken away again as often as asked."""
    kept = Cache(Path(folder)).keep("0" * 32, "part", Table({"number": np.arange(rows), "again": np.arange(rows)}))
    tries = Path(folder) / "tries"
    done = tries.read_text() if tries.exists() else ""
    tries.write_text(done + "x")
    if len(done) < broken_times:
        shutil.rmtree(Path(folder) / ("0" * 32))
    return kept


def total(array, more):
    return int(array.sum()) + more


def process_id():
    return os.getpid()


def modules():
    return sorted(sys.modules)


def forever(started):
    Path(started).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def die():
    os.kill(os.getpid(), signal.SIGKILL)
