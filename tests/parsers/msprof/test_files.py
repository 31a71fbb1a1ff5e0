"""Every kind of file beside the operators: its kind, its columns, their exact values; empty, cut and broken ones."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.parsers.msprof import belongs, files
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Strings

FIXTURES = Path(__file__).parent.parent.parent / "fixtures" / "files"
PAIRED = sorted(
    path for path in FIXTURES.iterdir() if path.suffix in (".csv", ".txt") and path.with_suffix(".json").exists()
)
IDS = [path.name for path in PAIRED]
MISSING = ("", "N/A", "NA")


def number(text):
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def expected(path):
    """Column by column, from the csv itself."""
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    header = [cell.strip() for cell in rows[0]]
    for name, (head, kind, factor) in json.loads(path.with_suffix(".json").read_text())["columns"].items():
        cells = [row[header.index(head)].strip() for row in rows[1:] if row]
        factor = Decimal(str(factor)) if factor < 1 and str(factor) != "0.0009765625" else Decimal(factor)
        if kind == "text":
            yield name, [None if cell in MISSING else cell for cell in cells]
        elif kind == "number":
            yield name, [None if number(cell) is None else float(number(cell) * factor) for cell in cells]
        else:
            scale = 1000 * factor if kind == "moment" else 1
            lost = {cell for cell in cells if kind == "moment" and "E" in cell}
            whole = [UNKNOWN if number(cell) is None or cell in lost else int(number(cell) * scale) for cell in cells]
            yield name, whole


def plain(column):
    if isinstance(column, Strings):
        return column.tolist()
    return [None if value != value else value for value in column.tolist()]


def close(found, wanted):
    return found == wanted or (
        isinstance(found, float) and wanted is not None and found == pytest.approx(wanted, rel=1e-12)
    )


@pytest.mark.parametrize("path", PAIRED, ids=IDS)
def test_columns_and_values(path):
    sight = files.read_file(str(path))
    assert sight.kind == json.loads(path.with_suffix(".json").read_text())["kind"] == files.kind_of(path.name)
    wanted = dict(expected(path))
    assert set(sight.found.table.columns) == set(wanted)
    for name, values in wanted.items():
        found = plain(sight.found.table.columns[name])
        assert len(found) == len(values)
        different = [(f, w) for f, w in zip(found, values) if not close(f, w)]
        assert not different, name
    assert sight.found.rows_skipped == 0


@pytest.mark.parametrize("path", PAIRED, ids=IDS)
def test_empty_header_cut_and_broken(path, tmp_path):
    file = tmp_path / path.name
    whole = path.read_bytes()
    file.write_bytes(b"")
    with pytest.raises(ParseError) as refused:
        files.read_file(str(file))
    assert refused.value.problem.code == "empty-file"
    file.write_bytes(whole.splitlines(keepends=True)[0])
    assert len(files.read_file(str(file)).found.table) == 0
    file.write_bytes(b"\x00\xff{garbage\nx,y\n1\n")
    try:
        garbage = files.read_file(str(file)).found
        assert json.loads(path.with_suffix(".json").read_text())["kind"] == "summary"  # any columns will do there
        assert len(garbage.table) <= 1
    except ParseError as error:
        assert error.problem.code == "other-columns"
    file.unlink()
    with pytest.raises(ParseError) as refused:
        files.read_file(str(file))
    assert refused.value.problem.code in ("not-found", "no-table")


@pytest.mark.parametrize("path", PAIRED, ids=IDS)
def test_a_row_that_is_cut_is_left_out_and_told(path, tmp_path):
    lines = path.read_bytes().rstrip().splitlines(keepends=True)
    cut = tmp_path / path.name
    cut.write_bytes(b"".join(lines[:-1]) + lines[-1][: max(1, lines[-1].find(b","))])
    found = files.read_file(str(cut)).found
    whole = files.read_file(str(path)).found
    assert len(found.table) == len(whole.table) - 1
    assert "rows-skipped" in [problem.code for problem in found.problems] or found.path.endswith("step_trace_time.csv")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(PAIRED), st.binary(max_size=120), st.integers(0, 400), st.integers(0, 400))
def test_nothing_but_parse_error(tmp_path, path, noise, begin, length):
    """Any bytes in place of a stretch of a good file."""
    file = tmp_path / path.name
    whole = path.read_bytes()
    file.write_bytes(whole[:begin] + noise + whole[begin + length :])
    try:
        table = files.read_file(str(file)).found.table
    except ParseError:
        return
    assert len({len(column) for column in table.columns.values()}) <= 1


JSON = st.recursive(
    st.one_of(st.none(), st.text(max_size=5), st.integers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["data", "result", "Rule Type", "Tuning Data"]), inner),
    ),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(JSON, st.sampled_from(["prof_rule_0_20240422062412.json", "communication.json", "communication_matrix.json"]))
def test_any_json_is_read_or_refused(tmp_path, value, name):
    file = tmp_path / name
    file.write_text(json.dumps(value))
    try:
        files.read_file(str(file))
    except ParseError as error:
        assert error.problem.code in ("invalid-json", "empty-file")


def test_the_suggestions_of_msprof():
    found = files.read_file(str(FIXTURES / "prof_rule_0_20240422062412.json"))
    assert found.kind == "prof_rule"
    assert found.found.table.row(0) == {
        "section": "Op Summary",
        "rule": "Operator Schedule",
        "subject": None,
        "suggestion": "Task waiting time has reached the upper limit",
        "operators": None,
        "count": 0,
    }
    assert len(found.found.table) == 1


def test_operators_of_a_suggestion_are_counted_and_not_all_listed(tmp_path):
    rule = {"Rule Type": "Memory", "result": [{"Rule Suggestion": "x", "Tuning Data": [f"op{n}" for n in range(25)]}]}
    file = tmp_path / "prof_rule_0.json"
    file.write_text(json.dumps({"data": {"Op Summary": [rule]}}))
    row = files.read_file(str(file)).found.table.row(0)
    assert row["count"] == 25
    assert row["operators"].startswith("op0, op1,")
    assert row["operators"].endswith("op19, …")


def test_memory_that_was_not_freed_has_no_release():
    table = files.read_file(str(FIXTURES / "operator_memory.csv")).found.table
    kept = table.numbers("released_at_ns") == UNKNOWN
    assert kept.sum() > 3
    assert np.isnan(table.numbers("held_us")[kept]).all()
    assert table.numbers("allocated_at_ns")[0] == 1736405443871259720


def test_a_call_without_a_beginning_has_no_time(tmp_path):
    file = tmp_path / "api_statistic_20240418053251.csv"
    file.write_text(
        "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
        "0,acl,0,177628834313.948,36,4934134286.498,0.5,177628834000.0,8.5e20\n"
        "0,acl,aclrtMalloc,12.5,2,6.25,6.0,6.5,0.0625\n"
    )
    found = files.read_file(str(file)).found
    assert plain(found.table.columns["total_us"]) == [None, 12.5]
    assert found.table.numbers("count").tolist() == [36, 2]
    assert found.problems[0].code == "call-before-start"
    assert found.problems[0].message.params["name"] == "0"


def test_a_table_of_operators_of_any_name_opens(tmp_path):
    file = tmp_path / "decode_1tok.csv"
    file.write_text("Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),0x301\na,Add,AI_CORE,1.0,2.5,7\n")
    found = files.read_file(str(file))
    assert (found.kind, len(found.found.table)) == ("op_summary", 1)
    assert [float(found.found.table.numbers(name)[0]) for name in ("duration_us", "aic_0x301")] == [2.5, 7.0]


def test_a_renamed_file_is_known_by_its_columns(tmp_path):
    for name in ("api_statistic", "task_time_20250401202358", "operator_memory", "l2_cache", "step_trace_time"):
        file = tmp_path / f"my {name} copy.csv"
        file.write_bytes((FIXTURES / f"{name}.csv").read_bytes())
        assert files.kind_of(file.name) is None
        assert files.kind_by_columns(str(file)) == files.read_file(str(file)).kind == name.partition("_2")[0]


def test_a_renamed_opbasicinfo_is_known_by_its_columns(tmp_path):
    file = tmp_path / "before_OpBasicInfo.csv"
    file.write_text(
        "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n"
        "add_kernel,vector,6.25,1,NA,14,985,1800,1800,\n"
    )
    assert belongs.is_beside(file)
    found = files.read_file(str(file))
    assert (found.kind, len(found.found.table)) == ("opprof", 1)
    assert found.found.table.numbers("duration_us").tolist() == [6.25]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("op_summary_slice_1_20260102030405.csv", "op_summary"),
        ("kernel_details.csv", "kernel_details"),
        ("memory_record_slice_0_20230919172304.csv", "memory_record"),
        ("npu_mem_20260102030405.csv", "npu_mem"),
        ("npu_module_mem_20260102030405.csv", "npu_module_mem"),
        ("msprof_20260102030405.json", "timeline"),
        ("msprof_slice_0_20260102030405.json", "timeline"),
        ("msprof_0_2_1.json", "timeline"),
        ("trace_view.json", "timeline"),
        ("hccl_0_2_1.json", "timeline"),
        ("analysis.db", "analysis_db"),
        ("cluster_analysis.db", "analysis_db"),
        ("communication_analyzer.db", "analysis_db"),
        ("msprof_20260102030405.db", "profile_db"),
        ("ge_hash.db", "database"),
        ("communication.json", "communication"),
        ("communication_matrix.json", "communication_matrix"),
        ("llc_read_write_20260102030405.csv", "summary"),
        ("info.json.0", "settings"),
        ("stars_soc.data.0.slice_3", "raw"),
        ("stars_soc.data.0.slice_3.done", "mark"),
        ("torch.op_range", "raw"),
        ("README.txt", "log"),
        ("notes.csv", None),
        ("photo.jpg", None),
    ],
)
def test_kinds_by_name(name, kind):
    assert files.kind_of(name) == kind


def test_what_no_one_reads(tmp_path):
    file = tmp_path / "notes.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ParseError) as refused:
        files.read_file(str(file))
    assert refused.value.problem.code == "no-table"


def test_digits_are_never_lost(tmp_path):
    file = tmp_path / "nic_20260102030405.csv"
    file.write_text("group,ratio,id\n3985310405473756128,0.125,7\n3985310405473756129,N/A,\n")
    table = files.read_file(str(file)).found.table
    assert table.strings("group").tolist() == ["3985310405473756128", "3985310405473756129"]
    assert plain(table.columns["ratio"]) == [0.125, None]
    assert table.numbers("id").tolist() == [7, UNKNOWN]


def test_a_big_file_is_read_like_a_small_one(tmp_path, monkeypatch):
    path = FIXTURES / "operator_memory.csv"
    small = files.read_file(str(path)).found.table
    monkeypatch.setattr("npuscope.parsers.msprof.tables.op_summary.FAST_FROM_BYTES", 1)
    big = files.read_file(str(path)).found.table
    assert {name: plain(column) for name, column in big.columns.items()} == {
        name: plain(column) for name, column in small.columns.items()
    }


def test_totals_of_types_have_no_counters(tmp_path):
    file = tmp_path / "op_statistic_20260102030405.csv"
    file.write_text("OP Type,Core Type,Count,Total Time(us),aic_max_time(us)\nCast,AI_CORE,2,7.75,1e400\n")
    assert list(files.read_file(str(file)).found.table.columns) == ["type", "core", "count", "total_us"]


def test_infinite_numbers_are_unknown(tmp_path):
    file = tmp_path / "hbm_20260102030405.csv"
    file.write_text("Device_id,Metric,Read(MB/s),Write(MB/s),Other\n0,Average,inf,12.5,1e400\n0,1,3.0,-inf,7.5\n")
    table = files.read_file(str(file)).found.table
    assert plain(table.columns["read_mbps"]) == [None, 3.0]
    assert plain(table.columns["write_mbps"]) == [12.5, None]
    assert plain(table.columns["other"]) == [None, 7.5]


def test_a_unit_may_stand_at_the_end_of_a_head(tmp_path):
    file = tmp_path / "api_statistic_20260102030405.csv"
    file.write_text("Level,API Name,time_us,Count,avg_us,min_us,max_us,Variance\nacl,aclrtMalloc,12.5,2,6.25,6,x,0\n")
    found = files.read_file(str(file)).found
    assert plain(found.table.columns["total_us"]) == [12.5]
    assert plain(found.table.columns["max_us"]) == [None]


def test_a_rate_beyond_all_numbers_is_unknown(tmp_path):
    file = tmp_path / "l2_cache_20260102030405.csv"
    file.write_text("Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n1,2,0.5,1e308,MatMul\n")
    table = files.read_file(str(file)).found.table
    assert plain(table.columns["hit_rate_pct"]) == [50.0]
    assert plain(table.columns["victim_rate_pct"]) == [None]
