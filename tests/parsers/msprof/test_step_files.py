"""Step tables, iterations and communication files: real ones, and what is empty, cut or garbage."""

from __future__ import annotations

import json
import shutil
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import step_files
from npuscope.parsers.msprof.collectives import communication
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.msprof.tables import small_csv, step_trace, step_trace_time
from npuscope.parsers.say import ParseError
from npuscope.tui.text import told

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ranks"
HEADER = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive),Preparing"
)
ROW = "0,13,231290.09999999995,420174.2600000001,0.0,420174.2600000001,158558.00000000032,810022.25,0,420174.2,206.25"


def written(folder, text, name="step_trace_time.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("file", "device", "step", "computing", "alone", "free", "stage", "preparing"),
    [
        ("four_ranks/rank_2_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", 4, 13, "400448.2599999992",
         "277649.6599999999", "131705.28000000038", "809803.25", "189.0"),
        ("step_trace_time_2025.csv", None, 50, "8827.472999999998", "81515.607", "25908.102000000003", "116251.25",
         "19358.0"),
        ("step_trace_time_2023.csv", None, 2, "75174.57464453117", "146614.02034375005", "69909.50350390615",
         "291698.0", None),
        ("step_trace_time_no_step.csv", 7, None, "288671.56500000024", "0", "272298.2029999984", "560969.75",
         "148247.5"),
    ],
)  # fmt: skip
def test_every_generation_of_step_tables(file, device, step, computing, alone, free, stage, preparing):
    (found,) = step_trace_time.read(str(FIXTURES / file)).steps
    assert (found.device, found.step) == (device, step)
    assert (found.computing_us, found.not_overlapped_us, found.free_us, found.stage_us) == (
        float(computing),
        float(alone),
        float(free),
        float(stage),
    )
    assert found.preparing_us == (None if preparing is None else float(preparing))
    parts = Decimal(computing) + Decimal(alone) + Decimal(free)
    assert abs(parts - Decimal(stage)) < 1  # what a step is made of


def test_a_cluster_table_names_ranks_and_stages():
    found = step_trace_time.read(str(FIXTURES / "cluster_sixteen" / "cluster_step_trace_time.csv"))
    assert sorted(step.rank for step in found.steps) == list(range(16))
    assert found.stages == (tuple(range(8)), tuple(range(8, 16)))
    (thirteen,) = [step for step in found.steps if step.rank == 13]
    assert (thirteen.step, thirteen.free_us, thirteen.bubble_us) == (2, 92698.5800000001, 179258.84)
    (stage,) = {step.step for step in step_trace_time.read(str(FIXTURES / "cluster_eight" / CLUSTER)).steps}
    assert stage is None


CLUSTER = "cluster_step_trace_time.csv"


def test_the_database_export_has_the_same_table():
    (found,) = step_trace_time.read_database(str(FIXTURES / "analysis.db")).steps
    assert (found.step, found.computing_us, found.not_overlapped_us, found.stage_us, found.preparing_us) == (
        50, 8903.431, 98071.947, 132233.522, 18055.693,
    )  # fmt: skip


def test_missing_numbers_are_not_zero_and_rows_without_times_are_counted(tmp_path):
    text = f"{HEADER}\n0,1,10.5,N/A,,3,2,15.5\n0,2,,,,,,\n{ROW}\n"
    found = step_trace_time.read(written(tmp_path, text))
    first, last = found.steps
    assert (first.computing_us, first.not_overlapped_us, first.overlapped_us, first.preparing_us) == (
        10.5, None, None, None,
    )  # fmt: skip
    assert last.step == 13
    assert [problem.message.params["rows"] for problem in found.problems] == [1]


@pytest.mark.parametrize("cell", ["1e300", "inf", "-inf", "nan", "1e19", "0x10", "1_0_", "\x00"])
def test_numbers_that_cannot_be_are_unknown(tmp_path, cell):
    (found,) = step_trace_time.read(written(tmp_path, f"Step,Computing,Free,Stage\n1,{cell},1,2\n")).steps
    assert found.computing_us is None and found.stage_us == 2.0


def test_a_row_that_was_cut_is_left_out_and_told(tmp_path):
    found = step_trace_time.read(written(tmp_path, f"{HEADER}\n{ROW}\n0,14,231"))
    assert [step.step for step in found.steps] == [13]
    (problem,) = found.problems
    assert problem.code == "rows-skipped" and problem.line == 3


def test_units_and_line_ends_and_signs_around_cells(tmp_path):
    text = '\ufeffStep,Computing(ms),Free(ms),Stage(ms)\r\n"3"\t,1.5,0.25,1.75\r\n'
    (found,) = step_trace_time.read(written(tmp_path, text)).steps
    assert (found.step, found.computing_us, found.free_us, found.stage_us) == (3, 1500.0, 250.0, 1750.0)


@pytest.mark.parametrize(
    ("text", "code"), [("", "empty-file"), ("a,b\n1,2\n", "no-step-table"), (b"\x00\xff\xfe\x80", "no-step-table")]
)
def test_what_is_no_step_table_is_refused_in_words(tmp_path, text, code):
    with pytest.raises(ParseError) as caught:
        step_trace_time.read(written(tmp_path, text))
    assert caught.value.problem.code == code
    assert "step_trace_time.csv" in told(caught.value.problem.message)


def test_a_database_that_is_none_is_a_problem_and_no_crash(tmp_path):
    found = step_trace_time.try_read(written(tmp_path, "garbage", "analysis.db"))
    assert found.steps == () and [problem.code for problem in found.problems] == ["not-a-database"]


def test_columns_of_a_database_are_asked_for_by_their_names(tmp_path):
    """`SELECT *` also has the columns that another program lets the database compute: all behind them would shift."""
    path = tmp_path / "analysis.db"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, mine TEXT AS ('x' || step), computing NUMERIC, "
        "free NUMERIC, stage NUMERIC)"
    )
    connection.execute("INSERT INTO StepTraceTime VALUES (4, '13', 400448.26, 131705.28, 809803)")
    connection.commit()
    connection.close()
    (found,) = step_trace_time.read_database(str(path)).steps
    assert (found.step, found.computing_us, found.free_us, found.stage_us) == (13, 400448.26, 131705.28, 809803.0)


def test_a_huge_table_is_read_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(small_csv, "MOST_ROWS", 3)
    found = step_trace_time.read(written(tmp_path, HEADER + f"\n{ROW}" * 9 + "\n"))
    assert len(found.steps) == 3 and found.problems[0].code == "rows-left-out"


def test_iterations_with_any_number_of_reduce_pairs():
    found = step_trace.read(str(FIXTURES / "step_trace_20260102030500.csv"))
    assert [one.iteration for one in found.iterations] == [1, 2, 3, 4]
    assert [len(one.reduces) for one in found.iterations] == [2, 1, 0, 3]
    first = found.iterations[0]
    assert (first.fp_start_ns, first.end_ns) == (1_760_000_000_000_100_125, 1_760_000_000_005_000_250)
    assert (first.time_us, first.data_aug_us, first.model) == (5000.25, None, 2)
    assert first.reduces[1] == (1_760_000_000_002_100_000, 125.25)
    assert found.iterations[2].model is None
    assert [problem.message.params["rows"] for problem in found.problems] == [1]


@pytest.mark.parametrize("text", ["", "Step,Computing\n1,2\n"])
def test_what_is_no_table_of_iterations_is_refused(tmp_path, text):
    with pytest.raises(ParseError):
        step_trace.read(written(tmp_path, text, "step_trace_1.csv"))


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("step_trace_20260102030500.csv", True),
        ("step_trace_0_2_1.csv", True),
        ("step_trace_0_20260102030500.csv", True),
        ("step_trace.csv", True),
        ("step_trace_time.csv", False),
        ("step_trace_raw_0_detail_time.csv", False),
    ],
)
def test_names_of_iteration_tables(name, is_one):
    assert bool(step_trace.PATTERN.fullmatch(name)) is is_one


def test_collectives_and_their_waiting():
    found = communication.read(str(FIXTURES / "communication" / "communication.json"))
    assert len(found) == 4  # the file's sum of all is no operator
    first = found[0]
    assert (first.step, first.kind, first.name, first.group) == (
        50, "collective", "hcom_allReduce__586_0_1", "17522688603477080586",
    )  # fmt: skip
    assert first.elapsed_us == pytest.approx(79_089.52021875)
    assert sum(one.wait_us for one in found) == pytest.approx(5_940.61871875)
    assert [transport.kind for transport in first.transports] == ["HCCS", "SDMA"]
    assert first.transports[0].gbps == 15.7676


def test_links_between_ranks():
    found = communication.read_matrix(str(FIXTURES / "communication" / "communication_matrix.json"))
    link = next(one for one in found if (one.source, one.target) == (0, 1))
    assert (link.transport, link.size_mb, link.gbps) == ("HCCS", 37.781504, 17.5452)
    assert link.time_us == pytest.approx(2153.383)


@pytest.mark.parametrize("text", ["[]", "{", "nothing", b"\xff\xfe", "[" * 100_000])
def test_json_that_is_none_is_refused(tmp_path, text):
    for read in (communication.read, communication.read_matrix):
        with pytest.raises(ParseError) as caught:
            read(written(tmp_path, text, "communication.json"))
        assert caught.value.problem.code == ("encoding" if text == b"\xff\xfe" else "invalid-json")


def test_a_communication_file_beyond_the_bound_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(communication, "LARGEST", 10)
    with pytest.raises(ParseError) as caught:
        communication.read(written(tmp_path, '{"step1": {}}', "communication.json"))
    assert caught.value.problem.code == "too-large"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TOLD = st.dictionaries(
    st.sampled_from(["Communication Time Info", "Communication Bandwidth Info", "0-1", "1-0"]), JSON, max_size=3
)


OPERATORS = JSON | st.dictionaries(st.text(max_size=6), JSON | TOLD, max_size=3)
STEPS = JSON | st.dictionaries(st.sampled_from(["p2p", "collective"]), OPERATORS)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=st.dictionaries(st.text(max_size=6), STEPS))
def test_any_json_object_is_read_without_a_crash(tmp_path, document):
    path = written(tmp_path, json.dumps(document), "communication.json")
    for one in communication.read(path):
        assert one.kind in communication.KINDS
    for link in communication.read_matrix(path):
        assert link.source >= 0


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=300), header=st.sampled_from([HEADER, "Iteration ID,Iteration Time(us)", ""]))
def test_any_bytes_are_read_or_refused(tmp_path, body, header):
    path = written(tmp_path, header.encode() + b"\n" + body)
    for read in (step_trace_time.read, step_trace.read):
        try:
            read(path)
        except ParseError as error:
            assert error.problem.code in ("empty-file", "no-step-table", "damaged")


NUMBERS = st.floats(min_value=0, max_value=1e9, allow_nan=False)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.integers(0, 10**6), NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20))
def test_what_is_written_is_what_is_read(tmp_path, rows):
    lines = ["Step,Computing,Free,Stage", *(f"{step},{a!r},{b!r},{c!r}" for step, a, b, c in rows)]
    found = step_trace_time.read(written(tmp_path, "\n".join(lines) + "\n")).steps
    assert [(one.step, one.computing_us, one.free_us, one.stage_us) for one in found] == rows


def test_a_runs_step_table_comes_with_its_profile(tmp_path):
    folder = tmp_path / "host01_1_20260102030405006_ascend_pt"
    (folder / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    shutil.copy(FIXTURES / "step_trace_time_2025.csv", folder / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv")
    profile = read_profile(look_at(folder, 0.0))
    assert [(step.step, step.us) for step in profile.file_steps] == [(50, 116251.25)]
    assert profile.steps_source == step_files.STEP_TRACE_TIME


def test_the_newest_export_of_the_iterations_counts(tmp_path):
    folder = tmp_path / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
    output = folder / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    shutil.copy(FIXTURES / "step_trace_20260102030500.csv", output)
    written(output, "Iteration ID,Iteration Time(us)\n9,1\n", "step_trace_20260101000000.csv")
    steps, source = step_files.file_steps(look_at(folder, 0.0))
    assert [(step.step, step.us) for step in steps] == [(1, 5000.25), (2, 4999.75), (3, 5000.0), (4, 5000.0)]
    assert source == step_files.STEP_TRACE


def test_the_copy_engine_is_the_sum_of_its_wires_and_not_counted_twice():
    (one, *_) = communication.read(str(FIXTURES / "communication" / "communication.json"))
    assert {part.kind: part.size_mb for part in one.transports} == {
        "HCCS": 28.647232000000002, "SDMA": 28.647232000000002,
    }  # fmt: skip
    assert one.size_mb == 28.647232000000002
    alone = communication.Collective(1, "p2p", "a", transports=(communication.Transport("RDMA", 2.0),))
    assert alone.size_mb == 2.0
    assert communication.Collective(1, "p2p", "a").size_mb is None
