"""The child process reads ranks and sets their operators against each other."""

from __future__ import annotations

import queue

from made_ranks import write_rank

from npuscope.analysis.ranks.times import read_rank
from npuscope.parsers.discovery.runs import look_at
from npuscope.sources.worker import Worker


def test_ranks_and_their_operators_through_the_child(tmp_path):
    usual = (("MatMulV2", 4, 100.0), ("Add", 8, 20.0))
    slow = tuple((kind, calls, us * 1.3) for kind, calls, us in usual)
    runs = [look_at(write_rank(tmp_path, n, {1: (100.0, 10.0, 1.0)}, slow if n == 2 else usual), 0.0) for n in range(3)]
    answers: queue.Queue = queue.Queue()
    worker = Worker(answers.put)
    try:
        worker.ask("times", "npuscope.tui.ranks.jobs:rank_times", runs[0])
        worker.ask("operators", "npuscope.tui.ranks.jobs:rank_operators", runs[2], tuple(runs[:2]), 30.0)
        found = {}
        while len(found) < 2:
            answer = answers.get(timeout=60)
            if answer.progress is None:
                found[answer.ticket] = answer.value
    finally:
        worker.stop()
    assert found["times"] == read_rank(runs[0])
    assert found["operators"].cause.kind == "clock" and len(found["operators"].others) == 2
