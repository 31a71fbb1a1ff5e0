"""The two lines over the drill-down, and what a call achieved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_ops import cube, look, op, shapes, vector
from rich.cells import cell_len

from npuscope.analysis.labels.verdict import Evidence
from npuscope.parsers.say import say
from npuscope.tui import text
from npuscope.tui.operators import drillanswer
from npuscope.tui.operators.calls import calls_of
from npuscope.tui.operators.drillfacts import cores_words, facts, floor_notes
from npuscope.tui.operators.floor import floor_sentence, ladder
from npuscope.tui.screens.operator import OperatorScreen
from npuscope.tui.widgets.opdetail import row_and_verdict, title_and_meta


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def products(**more):
    made = shapes("1024,2560;2560,2560", "1024,2560")
    rows = (op(110.0 * at, 100.0, **cube(mte2=0.96, mac=0.5), **made, **more) for at in range(5))
    return look(*rows, chip="910B3")


def both(summary, width):
    verdict, values = row_and_verdict(summary, "types", 0)
    calls = calls_of(summary, "types", 0)
    call = summary.ops.row(calls.row)
    return (
        drillanswer.first(values["type"], 100.0, call, verdict, width),
        drillanswer.second(summary, calls, False, values, verdict, width),
    )


def test_time_floor_label_and_what_the_run_gains():
    first, second = both(products(), 200)
    assert first == "MatMulV2 takes 100 us, 2.2 times its floor of 45.5 us: memory-bound (tiling), confidence high."
    assert second.startswith("At the floor its 5 calls save 272 us; the run gains 272 us of 540.0 us (50 %). First: ")


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("width", [76, 96, 116])
def test_no_line_is_wider_than_the_window(language, width):
    text.set_language(language)
    for line in both(products(type="AVeryLongNameOfAnOperatorThatDoesNotFit"), width):
        assert 0 < cell_len(line) <= width


def test_narrow_lines_keep_the_sub_label():
    assert both(products(), 76)[0] == "MatMulV2: 100 us, 2.2 × the floor of 45.5 us; memory-bound (tiling)."


def test_launch_bound_calls_say_what_they_wait_for():
    small = shapes("64,128;64,128", "64,128")
    rows = (op(40.0 * at, 3.0, type="Add", core="AI_VECTOR_CORE", **vector(us=3.0), **small) for at in range(20))
    summary = look(*rows, chip="910B3")
    second = both(summary, 200)[1]
    assert second.startswith("Before its 20 calls the device waits 703 us for the host: launch less.")
    assert "At the floor" not in second


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_a_call_of_another_label_than_all_calls_says_whose_is_whose(language):
    text.set_language(language)
    large, small = shapes("1024,2560;2560,2560", "1024,2560"), shapes("8192,2560;2560,2560", "8192,2560")
    rows = [op(110.0 * at, 80.0, **cube(us=80.0, mte2=0.96, mac=0.5), **large) for at in range(5)]
    rows += [op(1000.0 + 900 * at, 330.0, **cube(us=330.0, mac=0.95, mte2=0.3), **small) for at in range(3)]
    summary = look(*rows, chip="910B3")
    screen = OperatorScreen(summary, "types", 0)
    label = summary.ops.strings("label")[screen.calls.row]
    assert screen.verdict.label == label == "memory"
    assert summary.types.strings("label")[0] == "compute"
    of_all, values = row_and_verdict(summary, "types", 0)
    said = drillanswer.second(summary, screen.calls, False, values, of_all, 300, shown=screen.verdict)
    words = {"en": "Its 8 calls together: compute-bound", "zh": "8 次调用合起来：计算瓶颈"}
    assert said.startswith(words[language])
    assert text.told(of_all.advice[0]) not in said
    alike = drillanswer.second(summary, screen.calls, False, values, of_all, 300, shown=of_all)
    assert words[language] not in alike


def test_without_a_floor_and_advice_its_share_is_told():
    rows = (op(0.0, 30.0, name="Dispatch", type="DispatchFFNCombine"), op(40.0, 70.0))
    summary = look(*rows)
    line = summary.types.strings("type").tolist().index("DispatchFFNCombine")
    verdict, values = row_and_verdict(summary, "types", line)
    bare = replace(verdict, advice=())
    said = drillanswer.second(summary, calls_of(summary, "types", line), False, values, bare, 116)
    assert said == "It takes 30 % of the operators' time; what mending it gives back is not known."


def test_what_was_achieved_stands_beside_the_peak():
    summary = products(block_dim=16)
    calls = calls_of(summary, "types", 0)
    found = dict(facts(summary, calls, summary.ops.row(calls.row)))
    assert found["bytes"] == "23.6 MB by its shapes: 236 GB/s, 15 % of HBM"
    assert found["flops"] == "13.4 GFLOP: 134.2 TFLOP/s, 46 % of the cube"
    assert cores_words(summary, summary.ops.row(0)) == "16 of 20 cores"


def test_more_than_hbm_brings_came_from_l2():
    row = op(0.0, 30.0, type="Mul", core="AI_VECTOR_CORE", **vector(us=30.0, mte2=0.9),
             **shapes("4096,4096", "4096,4096"))  # fmt: skip
    summary = look(row, chip="910B3")
    found = dict(facts(summary, calls_of(summary, "types", 0), summary.ops.row(0)))
    assert found["bytes"].endswith("GB/s, from L2") or found["bytes"].endswith("TB/s, from L2")
    assert "sat in L2" in both(summary, 200)[0]


@pytest.mark.parametrize("shape", ["-1,64", "64,64"])
def test_a_missing_floor_says_what_it_lacks(shape):
    """A dynamic shape, and an operator whose work does not follow from its shapes."""
    kind = "Add" if shape.startswith("-") else "Unique2"
    printed = shapes(shape, shape if kind == "Add" else "8,64")
    summary = look(op(us=50.0, type=kind, **vector(mte2=0.9), **printed), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    why = "dynamic shape -1,64" if kind == "Add" else "what Unique2 moves and computes does not follow from its shapes"
    assert floor_sentence(values, summary.chip, verdict) == f"no floor: {why}"
    assert floor_notes(summary, values, verdict) == [f"no floor: {why}"]


def test_a_floor_by_the_start_of_a_task_is_its_own_rung():
    summary = look(op(us=16.8, type="PadV3", core="AI_VECTOR_CORE", **shapes("1,7168", "8,7168")), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    rungs = {rung.kind: rung for rung in ladder(values, 16.8, summary.chip)}
    assert rungs["start"].us == values["bound_us"] == 1.0
    assert rungs["total"].remark == "17 ×"
    assert floor_sentence(values, summary.chip, verdict).startswith("1.00 us, the least that any task takes; ")


def test_the_peak_of_the_cube_names_its_number_type():
    summary = look(op(0, 900.0, **shapes("4096,4096;4096,4096", "4096,4096", "FLOAT16")), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    assert "cube FP16 294.9 TFLOPS" in " ".join(floor_notes(summary, values, verdict))


def test_inputs_do_not_read_as_the_dimensions_of_one_tensor():
    _, meta = title_and_meta({"type": "MseLossGrad", "input_shapes": "1024;1024;1024"}, "types")
    assert meta == "1024; 1024; 1024"


def test_one_call_is_told_of_as_one():
    summary = look(op(0, 900.0, **shapes("4096,4096;4096,4096", "4096,4096", "FLOAT16")), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    said = drillanswer.second(summary, calls_of(summary, "types", 0), False, values, verdict, 200)
    assert "At the floor it saves" in said and "calls" not in said


def test_calls_without_a_saving_are_not_among_those_that_save():
    """Two products of halves, one of floats: nothing is saved against its bytes alone."""
    half, single = (shapes("4096,4096;4096,4096", "4096,4096", dtype) for dtype in ("FLOAT16", "FLOAT"))
    summary = look(op(0, 900.0, **half), op(1000, 900.0, **half), op(2000, 900.0, **single), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    said = drillanswer.second(summary, calls_of(summary, "types", 0), False, values, verdict, 200)
    assert values["bound_count"] == 3
    assert "At the floor 2 of its 3 calls save" in said


def test_a_floor_by_bytes_alone_says_that_nothing_is_saved_against_it():
    product = shapes("4096,4096;4096,4096", "4096,4096", "FLOAT")
    summary = look(op(us=7000.0, **product), chip="910B3")
    verdict, values = row_and_verdict(summary, "types", 0)
    assert floor_sentence(values, summary.chip, verdict).endswith("no saving is claimed")


@pytest.mark.parametrize(
    ("us", "kinds"), [(20.0, ["hbm", "l2", "vector", "total"]), (40.0, ["hbm", "vector", "total"])]
)
def test_what_came_from_l2_is_held_against_l2(us, kinds):
    """50.3 MB: 31.5 us by HBM at 1.6 TB/s, 12.7 us by L2 at 3.96 TB/s."""
    made = shapes("4096,1024;4096,1024", "4096,1024", "FLOAT")
    summary = look(op(us=us, type="Add", core="AI_VECTOR_CORE", **made), chip="910B3")
    rungs = [rung for rung in ladder(summary.ops.row(0), us, summary.chip) if rung.kind != "kernel"]
    assert [rung.kind for rung in rungs] == kinds
    by = {rung.kind: rung.us for rung in rungs}
    assert by["hbm"] == pytest.approx(31.457, abs=0.001)
    assert by.get("l2", 12.71) == pytest.approx(12.71, abs=0.01)


def test_bytes_counted_at_the_memory_are_not_called_those_of_shapes():
    made = vector(mte2=0.9) | shapes("4096,1024", "4096,1024")
    summary = look(op(us=50.0, type="Add", **made), chip="910B3")
    verdict, row = row_and_verdict(summary, "instances", 0)
    evidence = (Evidence("read+write_main_memory_datas", row["bytes"], None, say("evidence.bytes-counted", bytes=1.0)),)
    told = replace(verdict, evidence=evidence)
    assert dict(facts(summary, None, row, verdict))["bytes"].startswith("16.8 MB by its shapes: 336 GB/s, 21 % of HBM")
    assert dict(facts(summary, None, row, told))["bytes"] == "16.8 MB counted at the memory: 336 GB/s, 21 % of HBM"


@pytest.mark.parametrize(("rated", "said"), [(1850.0, "800 of 1850 MHz"), (float("nan"), "800 MHz")])
def test_the_clock_stands_beside_its_rated_one_where_that_is_known(rated, said):
    row = {**products().ops.row(0), "freq_mhz": 800.0, "rated_freq_mhz": rated}
    assert dict(facts(products(), None, row))["clock"] == said
