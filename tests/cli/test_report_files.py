"""`npuscope report FILE` for files that are no runs: what stands in them, which run they belong to, exit codes."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest

from npuscope.cli import report
from npuscope.tui import text

FIXTURES = Path(__file__).parent.parent / "fixtures"
FILES = FIXTURES / "files"
PROF = FIXTURES / "msprof" / "PROF_000001_20240418071826722_FAIIQKPEMHJLPCIC"
OPPROF = FIXTURES / "msprof" / "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
HEAD = b"Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"


@pytest.fixture(autouse=True)
def english():
    yield
    text.set_language("en")


@pytest.fixture
def beside(tmp_path):
    """A task_time file in a run's folder."""
    folder = tmp_path / PROF.name
    shutil.copytree(PROF, folder)
    path = folder / "mindstudio_profiler_output" / "task_time_20240418071836.csv"
    shutil.copy(FILES / "task_time_20250401202358.csv", path)
    return path


def said(capsys, *words, code=0, lang="en"):
    assert report.run(report.parser().parse_args([*map(str, words), "--lang", lang])) == code
    return capsys.readouterr()


def document(capsys, *words, code=0):
    return json.loads(said(capsys, *words, "--json", code=code).out)


def test_columns_units_totals_and_first_rows(capsys):
    path = FILES / "task_time_20250401202358.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    found = document(capsys, path, "--top", "2")
    assert (found["schema"], len(found["files"]), found["problems"]) == ("npuscope.table/1", 1, [])
    file = found["files"][0]
    assert (file["kind"], file["rows"], file["rows_skipped"], file["run"]) == ("task_time", len(rows), 0, None)
    columns = {column["name"]: column for column in file["columns"]}
    times = [float(row["task_time(us)"]) for row in rows]
    duration = columns["duration_us"]
    assert duration["source"] == f"{path.name}:task_time(us)"
    assert (duration["unit"], duration["kind"], duration["known"]) == ("us", "number", len(rows))
    assert duration["sum"] == pytest.approx(sum(times))
    assert (duration["min"], duration["max"]) == (min(times), max(times))
    assert columns["stream"]["sum"] is columns["stream"]["min"] is None
    assert columns["stream"]["distinct"] == len({row["stream_id"] for row in rows})
    assert columns["start_ns"]["kind"] == "moment" and columns["start_ns"]["sum"] is None
    assert len(file["top"]) == 2
    assert file["top"][0]["start_ns"] == int(rows[0]["task_start(us)"].strip().replace(".", ""))
    assert [row["duration_us"] for row in file["top"]] == times[:2]


def test_what_contains_each_other_has_no_sum(capsys):
    (file,) = document(capsys, FILES / "api_statistic.csv")["files"]
    assert {column["name"]: column["sum"] for column in file["columns"]}["total_us"] is None
    (file,) = document(capsys, FILES / "memory_record.csv")["files"]
    assert all(column["sum"] is None for column in file["columns"])


def test_a_file_of_a_run_names_it(capsys, beside):
    run = beside.parents[1]
    (file,) = document(capsys, beside)["files"]
    assert (file["run"], file["run_name"]) == (str(run), PROF.name)
    page = said(capsys, beside).out
    assert page.splitlines()[0].startswith(f"{beside.name} · tasks of the device · rows ")
    assert f"npuscope report {run}" in page
    assert beside.name not in page.split("smallest")[1]  # columns come from heads; the file was told


def test_a_file_in_an_archive(capsys, tmp_path, beside):
    path, run = beside, beside.parents[1]
    archive = tmp_path / f"{PROF.name}.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for one in sorted(run.rglob("*")):
            if one.is_file():
                out.write(one, one.relative_to(run.parent).as_posix())
    inner = archive / path.relative_to(run.parent).as_posix()
    (plain,) = document(capsys, path)["files"]
    (packed,) = document(capsys, inner)["files"]
    assert packed["run"] == str(archive)
    for name in ("kind", "rows", "columns", "top", "problems"):
        assert packed[name] == plain[name]
    missing = document(capsys, archive / PROF.name / "task_time_9.csv", code=3)
    assert missing["files"][0]["problems"][0]["code"] == "not-found"


def test_a_file_of_several_tables(capsys):
    path = OPPROF / "visualize_data.bin"
    (file,) = document(capsys, path)["files"]
    names = [one["table"] for one in file["tables"]]
    assert (file["table"], file["rows"]) == ("operator", 1) and "blocks" in names
    (blocks,) = document(capsys, path, "--table", "blocks")["files"]
    assert blocks["table"] == "blocks"
    assert blocks["rows"] == {one["table"]: one["rows"] for one in file["tables"]}["blocks"]
    refused = document(capsys, path, "--table", "nothing", code=4)["files"][0]["problems"][0]
    assert refused["code"] == "no-table" and "blocks" in refused["message"]


def test_a_table_of_a_database_that_is_a_run(capsys, tmp_path):
    made = tmp_path / "ascend_pytorch_profiler_0.db"
    with contextlib.closing(sqlite3.connect(made)) as connection, connection:
        connection.execute("CREATE TABLE STRING_IDS (id INTEGER, value TEXT)")
        connection.execute("INSERT INTO STRING_IDS VALUES (1, 'MatMul')")
    (file,) = document(capsys, made, "--table", "STRING_IDS")["files"]
    assert (file["kind"], file["table"], file["rows"]) == ("profile_db", "STRING_IDS", 1)
    refused = document(capsys, made, "--table", "nothing", code=4)["files"][0]["problems"][0]
    assert refused["code"] == "no-table" and "STRING_IDS" in refused["message"]


def test_beside_a_run(capsys, tmp_path):
    made = tmp_path / "op_summary_20260102030405.csv"
    shutil.copy(next(PROF.rglob("op_summary_*.csv")), made)
    assert "tables" not in document(capsys, made)
    both = document(capsys, made, FILES / "hbm_20260102030405.csv")
    assert both["schema"] == "npuscope.report/1"
    assert [len(both["runs"]), both["tables"][0]["kind"]] == [1, "hbm"]
    page = said(capsys, made, FILES / "hbm_20260102030405.csv").out
    assert "HBM bandwidth" in page and "op_summary" in page


@pytest.mark.parametrize("name", ["op_summary_20260102030405.csv", "kernel_details.csv", "anything.csv"])
def test_a_table_of_operators_stays_a_run(capsys, tmp_path, name):
    shutil.copy(next(PROF.rglob("op_summary_*.csv")), tmp_path / name)
    assert document(capsys, tmp_path / name)["runs"][0]["kind"] == "csv"


def test_a_csv_that_was_renamed_is_known_by_its_columns(capsys, tmp_path):
    shutil.copy(FILES / "step_trace_time.csv", tmp_path / "of monday.csv")
    assert document(capsys, tmp_path / "of monday.csv")["files"][0]["kind"] == "step_trace_time"


@pytest.mark.parametrize(
    ("content", "code", "problem"),
    [(b"", 3, "empty-file"), (b"\x00\xff{nothing\n", 4, "other-columns"), (HEAD, 3, "no-rows")],
)
def test_nothing_to_read_and_damaged(capsys, tmp_path, content, code, problem):
    (tmp_path / "api_statistic.csv").write_bytes(content)
    (file,) = document(capsys, tmp_path / "api_statistic.csv", code=code)["files"]
    assert [one["code"] for one in file["problems"]] == [problem]
    page = said(capsys, tmp_path / "api_statistic.csv", code=code).out
    assert page.count("!") == 1


def test_files_nobody_knows_are_told_in_one_sentence(capsys, tmp_path):
    (tmp_path / "notes.odt").write_bytes(b"x")
    told = said(capsys, tmp_path / "notes.odt", code=3)
    assert (told.out, told.err.count("\n")) == ("", 1)


def test_markdown_and_csv(capsys):
    path = FILES / "hbm_20260102030405.csv"
    marked = said(capsys, path, "--markdown").out
    assert marked.startswith("## hbm") and "| read | MB/s |" in marked
    lines = said(capsys, path, "--csv", "--top", "1").out.splitlines()
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert lines[0] == "device,metric,read_mbps,write_mbps"
    assert len(lines) == 2 and float(lines[1].split(",")[2]) == float(rows[0]["Read(MB/s)"])


def test_listed_without_being_read(capsys, tmp_path):
    (tmp_path / "api_statistic.csv").write_bytes(b"garbage")
    page = said(capsys, tmp_path / "api_statistic.csv", "--list").out
    assert "calls of the host" in page and "!" not in page


def test_in_chinese(capsys):
    page = said(capsys, FILES / "hbm_20260102030405.csv", lang="zh").out
    assert "HBM 带宽" in page and "来源" in page


def test_text_of_a_file_is_no_control_code(capsys, tmp_path):
    (tmp_path / "README.txt").write_bytes(b"a\x1b[31mred\nb")
    page = said(capsys, tmp_path / "README.txt").out
    assert "\x1b" not in page and "red" in page


def test_of_a_file_that_gives_nothing_the_reason_stands_on_top_too(tmp_path, capsys):
    mark = tmp_path / "all_file.complete"
    mark.write_bytes(b"")
    found = document(capsys, mark, code=3)
    assert (
        [one["code"] for one in found["problems"]]
        == ["empty-file"]
        == [p["code"] for p in found["files"][0]["problems"]]
    )
