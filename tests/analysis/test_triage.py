"""The three lines: where the time goes, the one thing to mend, what the run hides."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from made_ops import cube, look, op, profile, shapes, vector

from npuscope.analysis.summarize import summarize
from npuscope.analysis.thresholds import DEFAULTS, overridden
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Strings, Table

PRODUCT = shapes("1024,2560;2560,2560", "1024,2560")
SUM = shapes("1024,1024;1024,1024", "1024,1024")


def matmul(at_us, us=100.0, **more):
    return op(at_us, us, **cube(us=us, mte2=0.96, mac=0.5), **PRODUCT, **more)


def small(at_us, us=3.0, **more):
    kind = {"name": "Add_0", "type": "Add", "core": "AI_VECTOR_CORE"}
    return op(at_us, us, **vector(us=us, share_of=0.3), **SUM, **{**kind, **more})


def keys(said):
    return [one.key for one in said]


def test_the_operator_that_gives_the_run_most_back():
    """Ten products in a row with nothing beside them: what they are over their floor is what the run gains."""
    found = look(*(matmul(110.0 * at) for at in range(10)), chip="910B3").triage
    assert found.lead.kind == "operator" and found.lead.line == 0
    assert found.lead.us == pytest.approx(10 * (100.0 - 45.5), abs=1.0)
    assert found.lead.of_us == pytest.approx(1090.0)
    assert found.label == "memory" and not found.warns
    assert keys(found.start) == ["triage.start"]


def test_what_other_streams_hide_gives_nothing_back():
    """A larger product runs beside a longer one on another stream: mending it does not shorten the run."""
    hidden = [matmul(300.0 * at, 200.0, type="Hidden", name="Hidden_0") for at in range(5)]
    long = [op(300.0 * at, 290.0, name="Long_0", type="Long", stream=3, **vector(us=290.0, vec=0.9)) for at in range(5)]
    alone = [matmul(1600.0 + 110.0 * at, type="Alone", name="Alone_0") for at in range(3)]
    summary = look(*hidden, *long, *alone, chip="910B3")
    assert summary.types.strings("type")[summary.triage.lead.line] == "Alone"


def test_in_a_run_that_waits_for_its_host_the_answer_is_the_launches():
    summary = look(*(small(40.0 * at) for at in range(100)), chip="910B3")
    found = summary.triage
    assert summary.label == "launch" and found.lead.kind == "launches" and found.warns
    assert keys(found.where)[0] == "triage.idle.host"
    first = found.start[0]
    assert first.key == "triage.launches.wait"
    assert first.params["n"] == 100 and first.params["us"] == pytest.approx(99 * 37.0)
    assert "triage.start" not in keys(found.start)
    assert {"triage.hides.short", "triage.hides.host"} <= set(keys(found.hides))


def test_one_short_launch_is_no_storm():
    found = look(op(0.0, 11.2, **vector(us=11.2, share_of=0.2)), chip="910B3").triage
    assert keys(found.start) == ["triage.launches.few"]


def test_communication_that_stands_alone_comes_before_what_operators_would_gain():
    collective = {"name": "hcom_allReduce__0", "type": "hcom_allReduce_", "core": "COMMUNICATION"}
    found = look(*(matmul(110.0 * at) for at in range(3)), op(400.0, 900.0, **collective), chip="910B3").triage
    assert found.lead.kind == "communication" and found.lead.us == pytest.approx(900.0)
    assert keys(found.start) == ["triage.communication", "triage.beside"]
    assert found.start[1].params["us"] == pytest.approx(3 * (100.0 - 45.5), abs=1.0)


def test_a_step_gains_what_its_own_calls_lose():
    rows = [matmul(1000.0 * step + 110.0 * at, step=step) for step in range(4) for at in range(3)]
    found = look(*rows, chip="910B3").triage
    assert found.lead.per_step and keys(found.start) == ["triage.start.step"]
    assert found.lead.us == pytest.approx(3 * (100.0 - 45.5), abs=1.0)
    assert found.lead.of_us == pytest.approx(320.0)


def test_operators_at_their_floor_are_left_alone():
    near = look(*(matmul(46.2 * at, 46.0) for at in range(10)), chip="910B3").triage
    assert keys(near.start) == ["triage.near-floor"]


def test_without_counters_there_is_no_label_but_the_command():
    found = look(op(0.0), op(110.0), kind="torch_npu").triage
    assert keys(found.where)[0] == "triage.where.no-label" and found.warns
    assert found.hides[0].key == "triage.hides.counters" and "AiCMetrics" in found.hides[0].params["command"]
    assert "triage.hides.chip" in keys(found.hides)


def test_counters_of_another_group():
    found = look(op(0.0, aiv_time_us=90.0, aiv_vec_total_cflt_ratio=0.1), chip="910B3").triage
    assert found.hides[0].key == "triage.hides.group"
    assert found.hides[0].params["groups"] == "ResourceConflictRatio"


def test_counters_that_are_of_no_group():
    found = look(op(0.0, aiv_time_us=90.0, aiv_vec_time_us=45.0), chip="910B3").triage
    assert found.hides[0].key == "triage.hides.group.none"


def test_what_a_run_hides_comes_with_its_numbers():
    rows = [matmul(0.0, 500.0), *(matmul(600.0 + 110.0 * at) for at in range(9))]
    made = profile(rows)
    low = Problem("low-frequency", say("profiles.problem.low-frequency", freq=800.0, rated=1800.0, pct=44.4))
    summary = summarize(dataclasses.replace(made, problems=(low,), rows_skipped=2), "910B3")
    said = {one.key: one.params for one in summary.triage.hides}
    assert said["triage.hides.clock"] == {"freq": 800.0, "rated": 1800.0}
    assert said["triage.hides.first"]["us"] == pytest.approx(400.0) and said["triage.hides.first"]["n"] == 1
    assert said["triage.hides.skipped"] == {"n": 2}


def test_one_call_is_no_measurement():
    assert "triage.hides.once" in keys(look(matmul(0.0), chip="910B3").triage.hides)
    assert "triage.hides.once" not in keys(look(matmul(0.0), matmul(110.0), chip="910B3").triage.hides)


def test_a_long_preparation_on_the_host():
    calls = Table({
        "level": Strings.of(["acl", "acl"]), "name": Strings.of(["aclnnMatmulGetWorkspaceSize", "aclrtMemcpy"]),
        "total_us": np.array([600.0, 100.0]),
    })  # fmt: skip
    made = dataclasses.replace(profile(matmul(110.0 * at) for at in range(5)), extras={"api_statistic": calls})
    summary = summarize(made, "910B3")
    assert summary.stages.preparation_share == pytest.approx(600 / 1200)
    said = {one.key: one.params for one in summary.triage.hides}
    assert said["triage.hides.preparation"]["pct"] == pytest.approx(50.0)


def test_an_operator_on_the_ai_cpu_comes_first_when_it_costs_more():
    slow = op(105, 900, name="ArgSort_1", type="ArgSort", core="AI_CPU")
    found = look(matmul(0.0), slow, matmul(1010.0), chip="910B3").triage
    assert found.lead.kind == "ai_cpu" and found.start[0].params["name"] == "ArgSort"
    cheap = op(105, 30, name="ArgSort_1", type="ArgSort", core="AI_CPU")
    assert look(matmul(0.0), cheap, matmul(140.0), chip="910B3").triage.lead.kind == "operator"


@pytest.mark.parametrize(
    ("name", "value", "line", "key"),
    [
        ("mostly_idle", 0.95, "where", "triage.idle.host"),
        ("tiny_least", 101, "hides", "triage.hides.short"),
        ("hidden_share", 1.0, "hides", "triage.hides.overlap"),
        ("launches_least", 101, "start", "triage.launches.wait"),
    ],
)
def test_what_the_first_lines_say_follows_the_thresholds(name, value, line, key):
    """100 kernels of 3 us, two every 40 us that overlap by 2 us: the device idles 90 % of the time."""
    rows = [small(40.0 * at + stream, stream=stream) for at in range(50) for stream in (2, 3)]
    for limits, said in ((DEFAULTS, True), (overridden({name: value}), False)):
        found = summarize(profile(rows), "910B3", thresholds=limits)
        assert (key in keys(getattr(found.triage, line))) is said
