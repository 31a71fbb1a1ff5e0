"""The worker against a real child: answers, problems, progress, big tables, cancelling and the end."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.parsers.profile import Run
from npuscope.sources import worker as worker_module
from npuscope.sources.mapped import place_of
from npuscope.sources.worker import Worker

HERE = Path(__file__).parent
JOBS = "jobs_for_worker"
PATIENCE_S = 20


@pytest.fixture
def answers():
    return queue.Queue()


@pytest.fixture
def worker(answers, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    made = Worker(answers.put)
    yield made
    made.stop()


def answer_of(answers, ticket):
    while True:
        answer = answers.get(timeout=PATIENCE_S)
        if answer.ticket == ticket and answer.progress is None:
            return answer


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        os.sched_yield()


def test_answers_come_in_order_and_prints_do_not_disturb(worker, answers):
    for number in range(5):
        worker.ask(number, f"{JOBS}:double", number)
    got = [answers.get(timeout=PATIENCE_S) for _ in range(5)]
    assert [(a.ticket, a.value, a.problem) for a in got] == [(n, 2 * n, None) for n in range(5)]


def test_problems(worker, answers):
    worker.ask("refuse", f"{JOBS}:refuse", "/x/y.csv")
    worker.ask("fail", f"{JOBS}:fail")
    worker.ask("unpicklable", f"{JOBS}:unpicklable")
    worker.ask("unknown", "no_such_module:f")
    refused = answer_of(answers, "refuse").problem
    assert (refused.code, refused.file) == ("empty-file", "/x/y.csv")
    failed = answer_of(answers, "fail").problem
    assert failed.code == "internal"
    assert failed.message.params["what"] == "KeyError: 'no such thing'"
    assert answer_of(answers, "unpicklable").problem.code == "internal"
    assert "no_such_module" in answer_of(answers, "unknown").problem.message.params["what"]


def test_progress_comes_before_the_answer(worker, answers):
    worker.ask(1, f"{JOBS}:report")
    first, second = (answers.get(timeout=PATIENCE_S) for _ in range(2))
    assert (first.progress, first.value) == (0.25, None)
    assert (second.progress, second.value) == (None, "done")


@pytest.mark.parametrize(("rows", "files"), [(10, 0), (300_000, 2)])
def test_tables_small_and_big_arrive_whole_and_leave_nothing(worker, answers, rows, files):
    worker.ask(1, f"{JOBS}:table", rows)
    value = answer_of(answers, 1).value
    folder = Path(worker._folder)
    assert len(list(folder.iterdir())) == files
    table, again = value["ops"], value["again"]
    assert (len(table), len(again)) == (rows, rows)
    assert again.numbers("number") is table.numbers("number")
    assert table.strings("name")[8] == "1"
    part = table.numbers("number")[rows - 3 :]
    del value, table, again
    assert len(list(folder.iterdir())) == min(files, 1)
    assert part.tolist() == [rows - 3, rows - 2, rows - 1]
    del part
    assert list(folder.iterdir()) == []
    worker.stop()
    assert not folder.exists()


def test_a_table_out_of_the_cache_is_not_written_again(worker, answers, tmp_path):
    worker.ask(1, f"{JOBS}:kept_table", str(tmp_path / "cache"), 300_000, 0)
    value = answer_of(answers, 1).value
    assert list(Path(worker._folder).iterdir()) == []
    assert value.numbers("number").tolist() == list(range(300_000))
    path, _ = place_of(value.numbers("again"))
    assert path.parent.parent.parent == tmp_path / "cache"
    del value
    assert path.exists()


def test_a_cache_that_was_emptied_on_the_way_is_asked_once_more(worker, answers, tmp_path):
    worker.ask(1, f"{JOBS}:kept_table", str(tmp_path / "cache"), 300_000, 1)
    worker.ask(2, f"{JOBS}:double", 1)
    assert len(answer_of(answers, 1).value) == 300_000
    assert answer_of(answers, 2).value == 2


def test_a_cache_that_is_emptied_each_time_is_a_problem(worker, answers, tmp_path):
    worker.ask(1, f"{JOBS}:kept_table", str(tmp_path / "cache"), 300_000, 9)
    assert answer_of(answers, 1).problem.code == "internal"
    assert len((tmp_path / "cache" / "tries").read_text()) == 2
    worker.ask(2, f"{JOBS}:double", 1)
    assert answer_of(answers, 2).value == 2


def test_without_room_on_the_disk_arrays_come_through_the_pipe(worker, answers):
    worker.ask("first", f"{JOBS}:double", 1)
    answer_of(answers, "first")
    shutil.rmtree(worker._folder)
    worker.ask("big", f"{JOBS}:table", 300_000)
    assert len(answer_of(answers, "big").value["ops"]) == 300_000


def test_a_child_that_cannot_be_started_is_a_problem(worker, answers, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    worker.warm_up("json")
    worker.ask(1, f"{JOBS}:double", 1)
    problem = answer_of(answers, 1).problem
    assert problem.code == "internal"
    assert "/nowhere/python" in problem.message.params["what"]
    monkeypatch.undo()


def test_arrays_of_an_argument_arrive_too(worker, answers):
    big = np.arange(100_000)
    worker.ask(1, f"{JOBS}:total", big, 3)
    assert answer_of(answers, 1).value == int(big.sum()) + 3


def test_cancelling_the_running_job_kills_its_child_and_the_waiting_are_asked_again(worker, answers, tmp_path):
    started = tmp_path / "started"
    worker.ask("long", f"{JOBS}:forever", str(started))
    worker.ask("after", f"{JOBS}:process_id")
    worker.ask("dropped", f"{JOBS}:double", 1)
    wait_until(lambda: started.exists() and started.read_text())
    worker.cancel("dropped")
    worker.cancel("long")
    assert is_gone(int(started.read_text()))
    assert answer_of(answers, "after").value != int(started.read_text())
    worker.ask("last", f"{JOBS}:double", 4)
    assert [answers.get(timeout=PATIENCE_S).ticket] == ["last"]


def test_what_a_cancelled_job_had_unpacked_is_removed(worker, answers, tmp_path):
    started = tmp_path / "started"
    worker.ask("unpacking", f"{JOBS}:unpack_forever", str(started))
    wait_until(lambda: started.exists() and started.read_text())
    unpacked = Path(started.read_text())
    assert (unpacked / "table.csv").exists()
    worker.cancel("unpacking")
    assert not unpacked.exists()


def test_a_child_that_dies_answers_with_a_problem_and_the_next_job_runs(worker, answers):
    worker.ask(1, f"{JOBS}:die")
    worker.ask(2, f"{JOBS}:double", 21)
    assert answer_of(answers, 1).problem.code == "internal"
    assert answer_of(answers, 2).value == 42


def test_stop_reaps_a_busy_child(worker, answers, tmp_path):
    started = tmp_path / "started"
    worker.ask("long", f"{JOBS}:forever", str(started))
    wait_until(lambda: started.exists() and started.read_text())
    folder = Path(worker._folder)
    worker.stop()
    assert is_gone(int(started.read_text()))
    assert not folder.exists()
    worker.ask("late", f"{JOBS}:double", 1)
    assert answers.empty()


def test_stop_without_a_child_and_twice(answers):
    unused = Worker(answers.put)
    unused.stop()
    unused.stop()
    assert answers.empty()


def test_warm_up_imports_in_the_child_only(worker, answers):
    worker.warm_up("npuscope.parsers.msprof.reader")
    worker.warm_up("no_such_module")
    worker.ask(1, f"{JOBS}:modules")
    assert "npuscope.parsers.msprof.reader" in answer_of(answers, 1).value


def test_the_child_ends_with_its_parent(tmp_path):
    started = tmp_path / "started"
    parent = f"""
import sys
from npuscope.sources.worker import Worker
worker = Worker(print)
worker.ask(1, "{JOBS}:forever", {str(started)!r})
sys.stdin.read()
print(worker._folder, flush=True)
import os
os._exit(0)
"""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(Path(worker_module.__file__).parents[2])])}
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as process:
        wait_until(lambda: started.exists() and started.read_text())
        out, _ = process.communicate(b"")
    wait_until(lambda: is_gone(int(started.read_text())))
    wait_until(lambda: not Path(out.decode().strip()).exists())


def test_importing_the_worker_imports_neither_numpy_nor_pandas():
    code = "import sys, npuscope.sources.worker; print([m for m in ('numpy', 'pandas', 'textual') if m in sys.modules])"
    environ = {**os.environ, "PYTHONPATH": str(Path(worker_module.__file__).parents[2])}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=True)
    assert out.stdout.strip() == "[]"


def test_a_run_is_a_job_argument(worker, answers):
    worker.ask(1, f"{JOBS}:double", [Run("/p", "p", "csv", "ready")])
    assert len(answer_of(answers, 1).value) == 2
