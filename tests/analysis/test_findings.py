"""Patterns over several operators: where each is told, with which numbers, and where it is not."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, shapes, vector

from npuscope.analysis.findings import PATTERNS, SEVERITIES
from npuscope.tui.text import has, told

VECTOR = {"core": "AI_VECTOR_CORE", "block_dim": 40}
ROW = shapes("4096,1024", "4096,1024")  # 8.39 MB a tensor: 5.24 us at 1.6 TB/s
PAIR = shapes("4096,1024;4096,1024", "4096,1024")


def chain(*kinds, times=8, us=10.0, gap=2.0, shape=ROW, **more):
    """So many repetitions of operators one after the other."""
    rows, at = [], 0.0
    for number in range(times):
        for kind in kinds:
            name = f"{kind}_{number}"
            rows.append(op(at, us, name=name, type=kind, **{**VECTOR, **shape, **vector(us=us, mte2=0.5), **more}))
            at += us + gap
        at += 300.0  # a sequence ends where the stream has been idle
    return rows


def found(*rows, code, **more):
    summary = look(*rows, chip=more.pop("chip", "910B3"), **more)
    return next((one for one in summary.findings if one.code == code), None)


def test_a_named_chain_is_worth_its_middle_and_its_launches():
    """BatchNorm + Relu, eight times: 8.39 MB to HBM and back 10.5 us, one head of 3 us, 2 us idle."""
    one = found(*chain("BNInfer", "Relu", us=30.0), code="fusible-chain")
    assert one.title.params["chain"] == "BNInfer + Relu"
    assert one.title.params["count"] == 8
    assert one.saving_us == pytest.approx(8 * (2 * 8.388608 / 1.6 + 3 + 2), rel=1e-4)
    assert one.advice.key == "finding.chain.bn-relu"
    assert one.ops == ("BNInfer", "Relu")


def test_a_chain_saves_no_more_than_all_but_its_longest_take():
    one = found(*chain("BNInfer", "Relu", us=4.0), code="fusible-chain")
    assert one.saving_us == pytest.approx(8 * 4.0)


@pytest.mark.parametrize(
    ("kinds", "name"),
    [
        (("Conv2D", "BiasAdd", "Relu"), "conv-bias-relu"),
        (("Conv2D", "BNInfer", "Relu"), "conv-bn-relu"),
        (("MatMulV2", "Add"), "matmul-bias"),
        (("MatMulV2", "Add", "Gelu"), "matmul-bias-activation"),
        (("MatMulV2", "Gelu"), "matmul-activation"),
        (("Add", "RmsNorm"), "add-norm"),
        (("RmsNorm", "Add"), "norm-add"),
        (("Cast", "Cast"), "cast-pair"),
        (("Cast", "Mul", "Cast"), "cast-op-cast"),
        (("TransData", "Relu", "TransData"), "transdata-pair"),
        (("Sigmoid", "Mul"), "swiglu"),
        (("BatchMatMul", "Mul", "SoftmaxV2", "BatchMatMul"), "attention"),
        (("Muls", "Add", "SoftmaxV2"), "masked-softmax"),
        (("Square", "ReduceMeanD", "Adds", "Rsqrt", "Mul", "Mul"), "rms-norm"),
    ],
)
def test_chains_by_name(kinds, name):
    """Each is told as the longest chain it is, and its sentence is there."""
    codes = [one.advice.key for one in look(*chain(*kinds, us=25.0), chip="910B3").findings if "chain" in one.code]
    assert codes[0] == f"finding.chain.{name}"
    assert has(codes[0])


def test_no_chain_without_data_between_or_across_streams_and_collectives():
    other = {**ROW, **shapes("77,1024", "77,1024")}
    rows = chain("BNInfer", "Relu")
    apart = [row if row["type"] == "BNInfer" else {**row, **other} for row in rows]
    assert found(*apart, code="fusible-chain") is None
    streams = [row if row["type"] == "BNInfer" else {**row, "stream": 3} for row in rows]
    assert found(*streams, code="fusible-chain") is None
    between = chain("BNInfer", "hcom_allReduce_", "Relu")
    assert found(*between, code="fusible-chain") is None
    assert found(*chain("BNInfer", "Relu", times=5), code="fusible-chain") is None  # seen five times: not more


def test_a_run_of_small_elementwise_operators():
    one = found(*chain("Exp", "Neg", "Abs", "Sign", us=6.0), code="elementwise-run")
    assert one.evidence.params["size"] == 4
    assert one.saving_us == pytest.approx(8 * 3 * 6.0)  # all but the longest
    assert found(*chain("Exp", "Neg", us=6.0), code="elementwise-run") is None  # two are no run
    assert found(*chain("Exp", "Neg", "Abs", "Sign", us=20.0), code="elementwise-run") is None  # not short


PERIOD = ("Mul", "Mul", "Add", "Square", "Mul", "Mul", "Add", "Sqrt", "Adds", "RealDiv", "Muls", "Sub")


def test_a_run_that_repeats_itself_is_named_by_one_period():
    """40 periods of 12 make 80 kernels of six: all but the longest of each six are saved, ten at most are one."""
    one = found(*chain(*PERIOD * 40, times=1, us=6.0), code="elementwise-run")
    assert one.title.params["chain"] == "(Mul + Mul + Add + Square ... (+8)) ×40"
    assert one.evidence.params["size"] == 480
    assert one.saving_us == pytest.approx(80 * 5 * 6.0)
    same = found(*chain(*["Add"] * 200, times=1, us=6.0), code="elementwise-run")
    assert same.title.params["chain"] == "(Add) ×200"
    assert same.saving_us == pytest.approx(20 * 9 * 6.0)


def test_no_chain_over_a_step_an_ai_cpu_operator_or_streams_that_are_not_told_apart():
    rows = chain("BNInfer", "Relu", us=30.0)
    steps = [{**row, "step": n} for n, row in enumerate(rows)]
    assert found(*steps, code="fusible-chain") is None
    on_cpu = chain("BNInfer", "Unique", "Relu", us=30.0)
    on_cpu = [{**row, "core": "AI_CPU"} if row["type"] == "Unique" else row for row in on_cpu]
    assert found(*on_cpu, code="fusible-chain") is None
    beside = [{**row, "duration_us": 40.0, "stream": -1} for row in rows]
    assert found(*beside, code="fusible-chain") is None


def test_chains_with_conversions_between():
    """RmsNorm and rotary embedding as frameworks write them out, conversions included."""
    rms = ("Cast", "Square", "ReduceMeanD", "Add", "Rsqrt", "Cast", "Cast", "Mul", "Cast", "Cast", "Mul", "Cast")
    one = found(*chain(*rms, us=30.0), code="fusible-chain")
    assert (one.advice.key, one.evidence.params["size"]) == ("finding.chain.rms-norm", 12)
    rotary = found(*chain("Mul", "Slice", "Neg", "Slice", "ConcatD", "Mul", "Add", us=30.0), code="fusible-chain")
    assert (rotary.advice.key, rotary.evidence.params["size"]) == ("finding.chain.rotary", 7)
    masked = ("BatchMatMulV2", "RealDiv", "Add", "Cast", "Maximum", "Cast", "SoftmaxV2", "AsStrided", "BatchMatMulV2")
    assert found(*chain(*masked, us=30.0), code="fusible-chain").advice.key == "finding.chain.attention"


def test_a_sequence_that_repeats_is_told_when_no_chain_has_a_name():
    kinds = ("Sort", "Unique2", "RotaryMul", "Sort")
    one = found(*chain(*kinds, us=30.0), code="repeated-sequence")
    assert (one.title.params["count"], one.title.params["size"]) == (8, 4)
    assert one.title.params["chain"] == "Sort + Unique2 + RotaryMul + Sort"
    assert one.saving_us == pytest.approx(8 * 3 * (2 * 8.388608 / 1.6 + 3 + 2), rel=1e-4)
    assert one.evidence.params["busy_pct"] == pytest.approx(100 * 120 / 126)
    assert found(*chain(*kinds, us=30.0, times=5), code="repeated-sequence") is None
    busy = chain(*kinds, us=30.0, **{"aiv_vec_ratio": 0.95})
    assert found(*busy, code="repeated-sequence") is None  # dominant computing


def test_conversions_that_take_a_visible_part():
    rows = [op(200 * n, 100.0, type="Cast" if n < 4 else "Unique2", **VECTOR) for n in range(10)]
    one = found(*rows, code="transdata-storm")
    assert (one.saving_us, one.severity) == (400.0, "high")
    assert found(*rows[3:], code="transdata-storm") is None  # one conversion


def test_data_preparation_beside_conversions():
    rows = [op(200 * n, 100.0, type="SliceD" if n < 4 else "Unique2", **VECTOR) for n in range(10)]
    assert found(*rows, code="data-preparation").saving_us == 400.0
    assert found(*rows[2:], code="data-preparation") is None  # 25 %


def test_ai_cpu_and_what_stands_still_behind_it():
    """300 us alone on the device, 50 us of it beside another stream; a kernel right behind."""
    rows = [
        op(0, 100.0), op(100, 300.0, type="Unique", core="AI_CPU"), op(350, 50.0, type="Sort", stream=3),
        op(402, 100.0, name="after"),
    ]  # fmt: skip
    one = found(*rows, code="ai-cpu")
    assert one.saving_us == pytest.approx(250.0)
    assert one.evidence.params["alone_us"] == pytest.approx(250.0)
    assert one.evidence.params["behind"] == 1
    assert found(op(0, 100.0), op(100, 15.0, core="AI_CPU"), code="ai-cpu") is None


def test_many_short_operators_that_wait():
    rows = [op(32.0 * n, 2.0, type="Add", **VECTOR) for n in range(20)]
    one = found(*rows, code="small-op-storm")
    assert one.title.params["waited_us"] == pytest.approx(19 * 30.0)
    assert one.saving_us == pytest.approx(19 * 24.0)  # 6 us stay before each
    assert found(*rows, code="free-time") is None  # the same time, said more exactly
    few = [op(1000.0 * n, 500.0 if n % 8 else 2.0, type="Add", **VECTOR) for n in range(16)]
    assert found(*few, code="small-op-storm") is None  # two of sixteen


def test_a_pause_of_the_host_is_no_launch():
    """Three waits of 30 us, and one of 2 ms in which the host did something else."""
    begins = [0.0, 32.0, 64.0, 96.0, 2098.0]
    rows = [op(at, 2.0, type="Add", **VECTOR) for at in begins]
    storm, free = (found(*rows, code=code) for code in ("small-op-storm", "free-time"))
    assert storm.saving_us == pytest.approx(3 * 24.0)
    assert (free.saving_us, free.title.params["us"]) == (pytest.approx(2000.0), pytest.approx(2000.0))


def test_free_time_names_its_reason():
    long = [op(400.0 * n, 200.0, type="MatMulV2", name=f"m{n}", **cube(us=200, mac=0.9)) for n in range(6)]
    host = found(*long, code="free-time")
    assert (host.evidence.key, host.saving_us) == ("finding.free.host", pytest.approx(1000.0))
    steps = [{**row, "step": n // 2} for n, row in enumerate(long)]
    steps = [{**row, "duration_us": 400.0 if n % 2 == 0 else 200.0} for n, row in enumerate(steps)]
    assert found(*steps, code="free-time").evidence.key == "finding.free.step"
    sent = [row for n in range(5) for row in (
        op(600.0 * n, 100.0, type="hcom_allReduce_", core="COMMUNICATION"), op(600.0 * n + 400, 200.0, name="next"),
    )]  # fmt: skip
    one = found(*sent, code="free-time")
    assert (one.evidence.key, one.evidence.params["longest_us"]) == ("finding.free.communication", pytest.approx(300.0))
    busy = [op(200.0 * n, 195.0) for n in range(6)]
    assert found(*busy, code="free-time") is None


def test_blocks_that_leave_cores_idle():
    rows = [op(200 * n, 100.0, block_dim=10, **cube(mac=0.9)) for n in range(3)]
    one = found(*rows, code="low-block-dim")
    assert one.saving_us == pytest.approx(150.0)
    assert found(*[{**row, "block_dim": 20} for row in rows], code="low-block-dim") is None


def test_unequal_blocks_where_they_were_measured():
    row = op(us=100.0, type="Sort", block_spread=0.5, blocks_measured=8, **{**VECTOR, **vector(mte2=0.5)})
    one = found(row, code="imbalance", kind="msprof_op")
    assert (one.severity, one.saving_us) == ("high", pytest.approx(25.0))
    assert look(row, chip="910B3").types.row(0)["detail"] == "imbalance"
    assert found({**row, "block_spread": 0.05}, code="imbalance") is None


def test_time_outside_the_cores():
    slow = op(us=201.0, type="Sort", **{**VECTOR, **vector(us=70, share_of=1, mte2=0.5)})
    filled = op(300, 100.0, type="Unique2", **{**VECTOR, **vector(mte2=0.5)})
    one = found(slow, filled, code="outside-cores")
    assert one.saving_us == pytest.approx(131.0)
    assert one.evidence.params["core_us"] == pytest.approx(70.0)
    assert found(slow, code="outside-cores") is None  # none fills its task: another clock
    assert found(slow, {**filled, "core": "AI_CORE"}, code="outside-cores") is None
    assert found({**slow, "aiv_time_us": 0.0}, filled, code="outside-cores") is None


def test_shapes_that_ever_change():
    rows = [
        op(200 * n, 100.0, type="Sort", op_state="dynamic", **{**VECTOR, **shapes(f"{n + 7},64", f"{n + 7},64")})
        for n in range(12)
    ]
    one = found(*rows, code="dynamic-shapes")
    assert (one.evidence.params["calls"], one.evidence.params["shapes"]) == (12, 12)
    without = [{name: value for name, value in row.items() if name != "op_state"} for row in rows]
    assert found(*without, code="dynamic-shapes") is None  # a column that is not there tells nothing
    assert found(*[{**row, "op_state": "static"} for row in rows], code="dynamic-shapes") is None


def test_small_packets():
    row = op(us=500.0, type="Sort", gm_to_ub_datas_kb=1000.0, aiv_mte2_instructions=4000.0,
             **{**VECTOR, **vector(us=500, mte2=0.9)})  # fmt: skip
    assert found(row, code="small-packets").evidence.params["size"] == pytest.approx(256.0)
    large = {**row, "aiv_mte2_instructions": 40.0}
    assert found(large, code="small-packets") is None


def test_an_operator_that_takes_different_times():
    rows = [op(400 * n, 300.0 if n % 4 == 3 else 100.0, type="Sort", **VECTOR, **ROW) for n in range(12)]
    assert (
        found(
            *[op(400 * n, 300.0 if n % 4 == 3 else 100.0, type="Sort", **VECTOR) for n in range(12)],
            code="unstable-operator",
        )
        is None
    )  # whose shapes are not told
    one = found(*rows, code="unstable-operator")
    assert one.saving_us == pytest.approx(600.0)
    assert (one.evidence.params["low_us"], one.evidence.params["high_us"]) == (100.0, 300.0)
    assert found(*rows[:10], code="unstable-operator") is None  # ten calls: not more
    grouped = [{**row, "type": "GroupedMatmul"} for row in rows]
    assert found(*grouped, code="unstable-operator") is None  # tokens stand in no shape
    two = [{**row, **(PAIR if n % 4 == 3 else ROW)} for n, row in enumerate(rows)]
    assert found(*two, code="unstable-operator") is None  # two sets of shapes
    steady = [op(400 * n, 100.0 + n, type="Sort", **VECTOR, **ROW) for n in range(12)]
    assert found(*steady, code="unstable-operator") is None


def test_a_fused_operator_that_is_slower_than_its_parts():
    parts = [op(0, 30.0, type="Add", **{**VECTOR, **PAIR}), op(100, 40.0, type="RmsNorm", **{**VECTOR, **ROW})]
    fused = op(200, 100.0, type="AddRmsNorm", **{**VECTOR, **PAIR})
    one = found(*parts, fused, code="over-fusion")
    assert one.saving_us == pytest.approx(30.0)
    assert one.evidence.params["alone_us"] == pytest.approx(70.0)
    assert found(*parts, {**fused, "duration_us": 72.0}, code="over-fusion") is None
    assert found(parts[0], fused, code="over-fusion") is None  # half of the parts
    other = {**parts[1], "input_dtypes": "FLOAT"}
    assert found(parts[0], other, fused, code="over-fusion") is None  # another type
    slower = {**parts[0], "duration_us": 90.0, **ROW}
    assert found(*parts, slower, fused, code="over-fusion") is None  # an Add on that shape takes 90 us too
    larger = {**fused, **shapes("8192,1024;8192,1024", "8192,1024")}
    assert found(*parts, larger, code="over-fusion") is None  # other shapes


def test_first_calls_that_load_their_kernel():
    rows = [op(1000 * n, 500.0 if n == 0 else 50.0, type="Sort", **VECTOR) for n in range(8)]
    one = found(*rows, code="first-launch")
    assert one.saving_us is None  # a run that goes on gets nothing back
    assert one.title.params["us"] == pytest.approx(450.0)
    assert (
        found(*[{**row, "type": "hcom_allReduce_", "core": "COMMUNICATION"} for row in rows], code="first-launch")
        is None
    )
    assert "first-launch" in [problem.code for problem in look(*rows).problems]
    assert found(*rows[1:], code="first-launch") is None


def test_what_matters_most_comes_first_and_every_sentence_is_there():
    rows = [
        *chain("BNInfer", "Relu", us=30.0), op(9000, 400.0, type="Unique", core="AI_CPU"),
        *[op(12_000 + 400 * n, 300.0 if n % 4 == 3 else 100.0, type="Sort", **VECTOR, **ROW) for n in range(12)],
    ]  # fmt: skip
    findings = look(*rows, chip="910B3").findings
    order = [(SEVERITIES.index(one.severity), -(one.saving_us or 0.0)) for one in findings]
    assert order == sorted(order) and len(findings) >= 3
    for one in findings:
        for said in (one.title, one.evidence, one.advice):
            assert has(said.key), said.key
            assert "{" not in told(said)


def test_a_run_without_time_or_order_has_none():
    assert look(op(us=0.0)).findings == ()
    assert len(PATTERNS) == len(set(PATTERNS))
    look(*[op(start_ns=-1, us=50.0) for _ in range(4)])


def many():
    """A run in which most findings fire."""
    rows = [
        *chain("BNInfer", "Relu", us=30.0), op(9000, 400.0, type="Unique", core="AI_CPU"),
        *[op(12_000 + 400 * n, 300.0 if n % 4 == 3 else 100.0, type="Sort", **VECTOR, **ROW) for n in range(12)],
        *[op(20_000 + 32.0 * n, 2.0, type="Add", **VECTOR, **ROW) for n in range(80)],
        *[op(30_000 + 200 * n, 150.0, block_dim=10, **cube(mac=0.9, us=150)) for n in range(9)],
    ]  # fmt: skip
    return [{"op_state": "dynamic", **row} for row in rows]


@pytest.mark.parametrize(
    ("columns", "silent"),
    [
        (("start_ns",), {"fusible-chain", "elementwise-run", "repeated-sequence", "small-op-storm", "free-time"}),
        (("block_dim",), {"low-block-dim"}),
        (("core",), {"ai-cpu"}),
        (("input_shapes",), {"unstable-operator", "fusible-chain"}),
        (("output_shapes",), {"elementwise-run", "fusible-chain", "over-fusion"}),
        (("op_state",), {"dynamic-shapes"}),
    ],
)
def test_a_column_that_is_not_there_tells_nothing(columns, silent):
    rows = [{name: value for name, value in row.items() if name not in columns} for row in many()]
    whole, part = ({one.code for one in look(*some, chip="910B3").findings} for some in (many(), rows))
    assert len(whole) >= 5
    assert not silent & part


def test_the_order_of_the_file_is_irrelevant():
    here, there = (look(*some, chip="910B3").findings for some in (many(), many()[::-1]))
    assert [(one.code, one.severity) for one in here] == [(one.code, one.severity) for one in there]
    for one, other in zip(here, there):
        assert one.saving_us == pytest.approx(other.saving_us) if one.saving_us is not None else True
