"""The slowest wire of a rank, and whose is slower than the others'."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest
from made_ranks import rank, write_rank

from npuscope.analysis.ranks.compare import compare
from npuscope.analysis.ranks.links import slow_ranks, slowest
from npuscope.analysis.ranks.times import read_rank
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.collectives.communication import Link, read_matrix
from npuscope.tui import text
from npuscope.tui.ranks import words as rankwords

FIXTURES = Path(__file__).parent.parent / "fixtures" / "ranks" / "communication"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def link(operator, gbps, target=1, size=100.0, transport="HCCS", source=0):
    return Link(1, "collective", operator, source, target, "g", transport, size, size / gbps * 1000, gbps)


def test_of_a_real_matrix_the_slowest_of_seven_links():
    links = read_matrix(str(FIXTURES / "communication_matrix.json"))
    found = slowest(links)
    assert list(found) == ["HCCS"]
    sums = [one for one in links if one.operator.endswith("-total") and one.transport == "HCCS"]
    assert found["HCCS"] == pytest.approx(min(one.gbps for one in sums), rel=1e-3)


def test_samples_and_sums_of_the_same_transfers_count_once():
    assert slowest([link("allreduce-top1", 5.0), link("allreduce-total", 20.0)]) == {"HCCS": pytest.approx(20.0)}
    assert slowest([link("hcom_allReduce__1", 10.0), link("Total Op Info", 99.0)]) == {"HCCS": pytest.approx(10.0)}
    assert slowest([link("a", 10.0), link("b", 30.0)]) == {"HCCS": pytest.approx(15.0)}


def test_what_carries_little_or_stays_on_the_card_is_no_wire():
    assert slowest([link("a", 0.01, size=0.001), link("a", 300.0, transport="LOCAL")]) == {}


def test_a_rank_whose_wire_is_slower_than_the_others():
    usual = {"HCCS": 19.0}
    assert slow_ranks([usual, usual, {"HCCS": 9.0}]) == [(2, "HCCS", 9.0, 19.0)]
    assert slow_ranks([usual, {"HCCS": 16.0}, usual]) == []
    assert slow_ranks([usual, {"HCCS": 9.0}]) == []  # of two nobody can say which is odd


def test_it_is_said_beside_the_verdict():
    ranks = [dataclasses.replace(rank(n, (100, 50, 1)), links={"HCCS": 9.0 if n == 2 else 19.0}) for n in range(4)]
    (said,) = rankwords.second(compare(ranks))
    assert said == "Rank 2 has a slow link: 9.0 GB/s over HCCS; the slowest of the others: 19.0."


def test_waits_and_links_come_with_the_times_of_a_run(tmp_path):
    folder = write_rank(tmp_path, 0, {1: (100.0, 10.0, 1.0)})
    for name in ("communication.json", "communication_matrix.json"):
        shutil.copy(FIXTURES / name, folder / "ASCEND_PROFILER_OUTPUT" / name)
    (found,) = read_rank(look_at(folder, 0.0))
    assert found.wait_us == pytest.approx(5940.61871875) and set(found.links) == {"HCCS"}
    (folder / "ASCEND_PROFILER_OUTPUT" / "communication.json").write_text("{")
    (found,) = read_rank(look_at(folder, 0.0))
    assert found.wait_us is None and found.computing_us == 100.0
