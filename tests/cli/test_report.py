"""`npuscope report`: the JSON contract, exit codes, what a person reads, and what is not imported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_profile import write_profile
from nobody import as_nobody

from npuscope.analysis.summary import Finding
from npuscope.cli import report
from npuscope.cli.printing import textcolumns
from npuscope.cli.reporting import as_text
from npuscope.cli.reporting.overview import named
from npuscope.parsers.say import say
from npuscope.tui import text
from npuscope.tui.runs.desk import asked
from npuscope.tui.text import told

GOLDEN = Path(__file__).parent.parent / "fixtures" / "report" / "page.txt"


@pytest.fixture(autouse=True)
def english():
    yield
    text.set_language("en")


@pytest.fixture
def made(tmp_path):
    """A PROF folder that settled long ago."""
    folder = write_profile(tmp_path)
    old = time.time() - 3600
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (old, old))
    return folder


def said(capsys, *words, code=0):
    """What the command printed: (stdout, stderr)."""
    assert report.run(report.parser().parse_args([*map(str, words), "--lang", "en"])) == code
    return capsys.readouterr()


def strict(output):
    def refuse(word):
        raise AssertionError(f"JSON holds {word}")

    return json.loads(output, parse_constant=refuse)


RUN = {
    "path", "kind", "state", "state_reason", "next_command", "chip", "chip_source", "cann", "level",
    "aic_metrics", "devices", "rank", "started_at", "files", "files_ignored", "rows", "rows_skipped", "steps",
    "step_median_us", "step_p99_us", "total_us", "span_us", "busy_us", "idle_us", "busy_pct", "wait_us",
    "computing_us", "communication_us", "communication_not_overlapped_us", "by_device", "label", "types", "ops",
    "gaps", "findings", "problems", "apis",
}  # fmt: skip
TYPE = {
    "type", "core", "count", "total_us", "share_pct", "mean_us", "median_us", "min_us", "max_us", "first_us",
    "wait_us", "kernel_us", "move_us", "aicore_pct", "shapes", "label", "detail", "confidence", "runner_up",
    "evidence", "bound_us", "bound_kind", "bound_source", "times_over_bound", "saving_us", "bytes", "flops",
    "achieved_gbps", "achieved_tflops", "advice", "mean_without_first_us",
}  # fmt: skip
OP = {
    "name", "type", "core", "start_ns", "duration_us", "device", "stream", "task_id", "block_dim",
    "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats",
    "freq_mhz", "rated_freq_mhz", "label", "confidence", "evidence", "bound_us", "times_over_bound",
    "saving_us", "pipes", "advice",
}  # fmt: skip


def test_json_contract(made, capsys):
    document = strict(said(capsys, made, "--json", "--ops", "100", "--chip", "910B3").out)
    assert (document["schema"], document["path"], document["problems"]) == ("npuscope.report/1", str(made), [])
    (run,) = document["runs"]
    assert set(run) >= RUN
    assert (run["kind"], run["state"], run["chip"], run["chip_source"]) == ("msprof", "ready", "Ascend910B3", "option")
    assert (run["rows"], run["rows_skipped"]) == (15, 0)
    assert run["total_us"] == 522.0
    assert run["busy_us"] + run["idle_us"] == pytest.approx(run["span_us"])
    assert run["by_device"]["0"]["rows"] == 15
    assert [entry["type"] for entry in run["types"]] == ["MatMulV2", "Add", "TransData[x]", "RmsNorm", "Cast"]
    assert all(set(entry) >= TYPE for entry in run["types"])
    assert sum(entry["share_pct"] for entry in run["types"]) == pytest.approx(100)
    matmul = run["types"][0]
    assert (matmul["count"], matmul["label"], matmul["detail"]) == (3, "memory", "tiling")
    assert matmul["evidence"][0] == {
        "metric": "aic_mte2_ratio", "value": 0.96, "threshold": 0.8, "text": "aic_mte2_ratio 0.96 (limit 0.80)",
    }  # fmt: skip
    assert matmul["times_over_bound"] == pytest.approx(matmul["total_us"] / matmul["bound_us"], rel=1e-5)
    assert matmul["saving_us"] == pytest.approx(matmul["total_us"] - matmul["bound_us"], abs=1e-5)
    assert matmul["bound_source"].startswith("peak of the cube (chips table, Ascend910B3")
    assert run["types"][1]["bound_source"].startswith("HBM 1600 GB/s (chips table, Ascend910B3: ")
    assert len(run["ops"]) == 15
    assert all(set(entry) >= OP and isinstance(entry["start_ns"], int) for entry in run["ops"])
    assert run["ops"][0]["duration_us"] == max(entry["duration_us"] for entry in run["ops"])
    first = next(entry for entry in run["ops"] if entry["type"] == "MatMulV2")
    assert first["pipes"] == {"mac": 0.6, "scalar": 0.05, "mte1": 0.5, "mte2": 0.96, "fixpipe": 0.11}
    assert all(gap["us"] > 0 and isinstance(gap["start_ns"], int) for gap in run["gaps"])


def test_top_and_ops_limit_the_lists(made, capsys):
    (run,) = strict(said(capsys, made, "--json", "--top", "2").out)["runs"]
    assert (len(run["types"]), len(run["gaps"]), run["ops"]) == (2, 2, [])


def test_list_parses_nothing(made, capsys, monkeypatch):
    monkeypatch.setattr("npuscope.parsers.msprof.reader.read_profile", None)
    document = strict(said(capsys, made.parent, "--list", "--json").out)
    (run,) = document["runs"]
    assert set(run) == {"path", "kind", "state", "started_at"}
    assert (run["path"], run["state"]) == (str(made), "ready")
    assert "PROF_000001" in said(capsys, made.parent, "--list").out


def test_runs_of_one_name_are_told_apart_in_the_list(tmp_path, capsys):
    for place in ("one/msprof", "two/msprof"):
        name = write_profile(tmp_path / place).name
    alone = write_profile(tmp_path).rename(tmp_path / "PROF_000002_20260102030405000_ABC").name
    names = [line.split()[2] for line in said(capsys, tmp_path, "--list").out.splitlines()[1:]]
    assert sorted(names) == [alone, f"one/msprof/{name}", f"two/msprof/{name}"]


@pytest.mark.parametrize("inner", ["", "cluster_analysis_output"])
def test_a_folder_that_only_ranks_reads_names_that_command(tmp_path, capsys, inner):
    folder = tmp_path / "of eight"
    (folder / inner).mkdir(parents=True)
    (folder / inner / "cluster_step_trace_time.csv").write_text("Step,Type,Index,Computing\n")
    assert (
        f"holds no profile. The table of a cluster's ranks lies there: npuscope ranks '{folder}'"
        in said(capsys, folder, code=3).err
    )
    assert told(asked(str(folder)).complaint) == (
        f"{folder} holds the table of a cluster's ranks, no profile: npuscope ranks '{folder}'"
    )
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    assert "npuscope ranks" not in said(capsys, nothing, code=3).err
    assert told(asked(str(nothing)).complaint) == f"{nothing} holds no profile yet; it is watched from now on."


def test_several_runs_and_paths(made, tmp_path, capsys):
    other = write_profile(tmp_path / "other")
    document = strict(said(capsys, made, other, "--json").out)
    assert [run["path"] for run in document["runs"]] == [str(made), str(other)]
    assert len(strict(said(capsys, tmp_path, "--json").out)["runs"]) == 2


def test_page(made, capsys):
    page = said(capsys, made, "--chip", "910B3").out.replace(str(made.parent), "/runs")
    assert page == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", [[], ["--markdown"]])
def test_idle_times_are_of_the_device_not_holes_of_one_stream(tmp_path, capsys, form):
    path = tmp_path / "kernel_details.csv"
    head = "Device_id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim"
    rows = [
        "0,2,MatMulV2_0,MatMulV2,AI_CORE,1760000000000.000,100,0,20",
        "0,9,other_0,Add,AI_VECTOR_CORE,1760000000100.000,900,0,40",
        "0,2,MatMulV2_1,MatMulV2,AI_CORE,1760000001007.000,100,0,20",
    ]
    path.write_text("\n".join([head, *rows]) + "\n")
    page = said(capsys, path, *form).out
    said_of = [line.strip(" -").replace("\\", "") for line in page.splitlines() if " us before " in line]
    assert said_of == ["7.0 us before MatMulV2_1, after other_0 (device 0)"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_fits_the_terminal(made, capsys, monkeypatch, language):
    for module in (textcolumns, as_text):
        monkeypatch.setattr(module, "terminal_width", lambda: 80)
    assert report.run(report.parser().parse_args([str(made), "--chip", "910B3", "--lang", language])) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if str(made.parent) not in line]
    commands = ("torch_npu.", "msprof")  # to be copied, so never cut
    wide = [line for line in lines if textcolumns.width(line) > 80 and not line.strip().startswith(commands)]
    assert not wide
    (first,) = [line for line in lines if line.lstrip().startswith("MatMulV2 ")]
    assert len(first.split()) >= 6  # type, time and saving stay


def test_the_first_five_findings_and_all_of_them(made, capsys, monkeypatch):
    from npuscope.analysis import findings

    one = Finding("made", "low", say("finding.first", us=1.0, count=1), say("finding.chain.ffn"),
                  say("finding.first.advice"), 1.0, ("Add", "Cast"))  # fmt: skip
    monkeypatch.setattr(findings, "find", lambda summary, part: (one,) * 8)
    first = told(one.title)[:24]
    for form in ((), ("--markdown",)):
        page = said(capsys, made, *form).out
        assert page.count(first) == 5 and "3 more findings (" in page
        whole = said(capsys, made, *form, "--all-findings").out
        assert whole.count(first) == 8 and "more findings" not in whole
    assert "low, made, up to 1.00 us" in page and "low, made, up to 1.00 us" in whole
    (run,) = strict(said(capsys, made, "--json").out)["runs"]
    assert [one["filter"] for one in run["findings"]] == ["type==Add|Cast"] * 8
    assert {one["no_bound_reason"] for one in run["types"]} == {"the chip's peaks are not known"}
    assert run["step_gain_us"] is None and {one["step_gain_us"] for one in run["types"]} == {None}


def test_ascii_where_the_locale_cannot_carry_more(made):
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for form in ([], ["--markdown"], ["--csv"], ["--json"]):
        words = [sys.executable, "-m", "npuscope", "report", str(made), *form]
        done = subprocess.run(words, capture_output=True, env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.returncode == 0
        assert done.stdout.isascii() and done.stdout.strip()


def test_chinese(made, capsys):
    assert report.run(report.parser().parse_args([str(made), "--lang", "zh"])) == 0
    assert "访存" in capsys.readouterr().out


def test_markdown_keeps_names_as_text(made, capsys):
    page = said(capsys, made, "--markdown", "--chip", "910B3").out
    assert "| TransData\\[x\\] |" in page
    assert page.startswith("## PROF\\_000001\\_")


def cells(line):
    """Of a Markdown table's line, as GitHub splits it: a pipe with a backslash before it is text."""
    return re.split(r"(?<!\\)\|", line.strip().strip("|"))


def test_markdown_can_be_pasted(made, tmp_path, capsys):
    """Every table has as many cells in each line as in its head, an empty line stands around what is folded, and no
    name from a file becomes markup, a mention or a control code."""
    csv = next(made.rglob("op_summary*.csv"))
    evil = "@all|x`y` <b>_*~$1&amp;"
    csv.write_text(csv.read_text(encoding="utf-8").replace("RmsNorm", evil), encoding="utf-8")
    page = said(capsys, csv, "--markdown", "--chip", "910B3").out
    lines = page.splitlines()
    blocks = [block.splitlines() for block in page.split("\n\n")]
    tables = [block for block in blocks if block and block[0].startswith("|")]
    assert len(tables) == 2
    for table in tables:
        assert set(table[1]) <= set("|-: ")
        assert {len(cells(line)) for line in table} == {len(cells(table[0]))}
    fold = next(at for at, line in enumerate(lines) if line.startswith("<details>"))
    assert lines[fold + 1] == "" and "</details>" in lines[fold:] and lines[lines.index("</details>") - 1] == ""
    assert "@all" not in page and "<b>" not in page.replace("\\<b\\>", "")
    head = "\n".join(lines[:fold])
    for condition in ("Ascend910B3", "PipeUtilization", "npuscope", "HBM 1600 GB/s"):
        assert condition in head
    assert head.index("**Where**") < head.index("**First**") < head.index("**Hidden**") < head.index("| conditions")


def test_the_first_lines_answer(made, capsys):
    lines = [line for line in said(capsys, made, "--chip", "910B3").out.splitlines() if line.startswith("  ")]
    answers = [line.split()[0] for line in lines if not line.startswith("    ")][1:4]
    assert answers == ["Where:", "First:", "Hidden:"]


def test_what_a_run_hides_are_sentences(tmp_path, capsys):
    """Totals of types alone: the reason stands once, and no sentence runs into the next."""
    folder = write_profile(tmp_path).joinpath("mindstudio_profiler_output")
    next(folder.glob("op_summary*")).write_text("")
    header = (
        "Device_id,Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"
    )
    (folder / "op_statistic_20260102030500.csv").write_text(f"{header}\n0,m,Add,AI_VECTOR_CORE,2,80,40,40,40,100\n")
    for path in folder.iterdir():
        os.utime(path, (time.time() - 3600,) * 2)
    page = said(capsys, tmp_path).out
    assert page.count("is empty (0 bytes)") <= 2  # under the path, and among what there is to know
    hidden = " ".join(page.partition("Hidden:")[2].partition("\n\n")[0].split())
    assert "The profile is not whole. Only totals of types" in hidden


def test_many_runs_are_told_in_a_line_each(made, tmp_path, capsys):
    """Up to twelve have their pages too."""
    for number in range(3):
        write_profile(tmp_path / str(number))
    page = said(capsys, tmp_path, "--chip", "910B3").out
    table = page.split("\n\n")[0].splitlines()
    assert len(table) == 5 and all("MatMulV2" in line and "56.9" in line for line in table[1:])
    assert page.count("Where:") == 4
    for number in range(3, 13):
        write_profile(tmp_path / str(number))
    page = said(capsys, tmp_path, "--chip", "910B3").out
    assert len(page.splitlines()) == 17 and "Where:" not in page
    assert "14 runs: a page each with npuscope report RUN" in page


def test_runs_of_one_name_are_told_apart_by_their_folders():
    paths = ("/d/db/level1/rank0", "/d/text/level1/rank0", "/d/db/level0/rank0", "/d/db/level1/rank1", "rank0")
    assert [row[0] for row in named([[path, "x"] for path in paths])] == [
        "db/level1/rank0", "text/level1/rank0", "level0/rank0", "rank1", "rank0",
    ]  # fmt: skip
    long = named([["/a/" + "b" * 80, "x"]])[0][0]
    assert len(long) == 50 and long.startswith("…b")
    assert named([["/a\x1b[31m/b", "x"], ["/c/b", "x"]])[0][0].isprintable()


def test_the_same_advice_is_said_once(tmp_path, capsys):
    """Five types that wait for their launch."""
    csv = next(write_profile(tmp_path).rglob("op_summary*.csv"))
    header, *rows = csv.read_text(encoding="utf-8").splitlines()
    cast, made = next(row for row in rows if "Cast" in row), []
    for at, name in enumerate(("Mul", "Sub", "Neg", "Abs", "Cast") * 2):
        cells = cast.replace("Cast", name).split(",")
        made.append(",".join([*cells[:8], str(1e9 + 50 * at), *cells[9:]]))
    csv.write_text("\n".join([header, *made]) + "\n", encoding="utf-8")
    page = said(capsys, csv, "--chip", "910B3").out
    assert page.count("replays a whole chain with one launch") == 1
    assert "Sub, Neg, Abs and 1 more: launch-bound" in page


def test_csv_of_types_and_instances(made, capsys):
    lines = said(capsys, made, "--csv").out.splitlines()
    assert lines[0].startswith("run,type,core,count,total_us")
    assert len(lines) == 6
    instances = said(capsys, made, "--csv", "--ops", "4").out.splitlines()
    assert instances[0].startswith("run,name,type,core,device")
    assert len(instances) == 5


def test_text_from_files_is_no_control_code(tmp_path, capsys):
    csv = next(write_profile(tmp_path).rglob("op_summary*.csv"))
    csv.write_text(csv.read_text(encoding="utf-8").replace("RmsNorm", "\x1b[31mRms|Norm"), encoding="utf-8")
    for form in ([], ["--markdown"]):
        page = said(capsys, csv, *form).out
        assert "\x1b" not in page and "Rms" in page


def test_fail_on(made, capsys):
    label = strict(said(capsys, made, "--json").out)["runs"][0]["label"]
    said(capsys, made, "--fail-on", label, code=1)
    said(capsys, made, "--fail-on", "communication", code=0)


def test_a_path_that_is_not_there(tmp_path, capsys):
    shown = said(capsys, tmp_path / "nowhere", code=3)
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "nowhere" in shown.err and "No such file" in shown.err
    document = strict(said(capsys, tmp_path / "nowhere", "--json", code=3).out)
    assert (document["runs"], document["problems"][0]["code"]) == ([], "not-found")


def test_what_is_no_profile_says_what_to_type(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("hello")
    for path in (tmp_path, tmp_path / "notes.txt"):
        shown = said(capsys, path, code=3)
        assert "PROF_*" in shown.err and "Traceback" not in shown.err


def test_no_permission(tmp_path, capsys, monkeypatch):
    def closed(self, **more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", closed)
    shown = said(capsys, "/root/prof", code=4)
    assert "no permission" in shown.err


def test_a_damaged_file_is_4_and_one_sentence(tmp_path, capsys):
    broken = tmp_path / "op_summary_20260102030500.csv"
    broken.write_bytes(b"\x00\x01\x02 not a table")
    shown = said(capsys, broken, "--json", code=4)
    run = strict(shown.out)["runs"][0]
    assert run["total_us"] is None and run["types"] == []
    assert run["problems"]


def test_an_export_that_waits_tells_its_command(tmp_path, capsys):
    data = tmp_path / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP" / "device_0" / "data"
    data.mkdir(parents=True)
    for name in ("stars_soc.data.0.slice_0", "stars_soc.data.0.slice_0.done"):
        (data / name).write_bytes(b"x" * 64)
    old = time.time() - 3600
    for path in [*data.rglob("*"), data]:
        os.utime(path, (old, old))
    document = strict(said(capsys, tmp_path, "--json", code=3).out)
    (run,) = document["runs"]
    assert run["state"] == "collected"
    assert "msprof" in run["next_command"]
    assert "next: msprof" in said(capsys, tmp_path, code=3).out


@pytest.mark.parametrize(
    "words",
    [
        ["--top", "0"], ["--chip", "H100"], ["--hbm-gbps", "0"], ["--fail-on", "nothing"],
        ["--list", "--fail-on", "stall"],
    ],
)  # fmt: skip
def test_wrong_options_are_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        report.parser().parse_args(["x", *words])
    assert ended.value.code == 2


def test_a_reader_that_goes_away_is_no_error(made):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "npuscope", "report", str(made), "--json", "--ops", "100000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
        child.stdout.close()
        assert child.stderr.read() == b""


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        ("import npuscope.cli.report", {"textual", "rich", "pandas", "numpy"}),
        ("from npuscope.cli import main; main(['report', '{made}', '--list'])", {"textual", "pandas"}),
        ("from npuscope.cli import main; main(['report', '{made}', '--json'])", {"textual", "rich"}),
    ],
)
def test_what_a_report_imports(words, absent, made):
    code = words.replace("{made}", str(made)) + "\nimport sys\nprint('modules:', *sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not absent & set(done.stdout.rpartition("modules:")[2].split())


def test_folders_closed_to_this_user_are_named_and_the_rest_is_listed(shared, capsys):
    run = write_profile(shared)
    for name in ("one", "other"):
        (shared / name).mkdir(mode=0)

    def listed(*more):
        code = report.run(report.parser().parse_args([str(shared), "--list", "--lang", "en", *more]))
        return [code, *capsys.readouterr()]

    code, out, err = as_nobody(listed)
    assert code == 0 and run.name in out
    assert err.count("\n") == 1 and "2 folders could not be read" in err and f"{shared}/one, {shared}/other" in err
    code, out, _ = as_nobody(lambda: listed("--json"))
    document = strict(out)
    assert (code, len(document["runs"]), [one["code"] for one in document["problems"]]) == (0, 1, ["permission"])
    run.rename(shared / "one" / run.name)
    code, _, err = as_nobody(listed)
    assert code == 4 and "2 folders could not be read" in err
    complaint = as_nobody(lambda: told(asked(str(shared)).complaint))
    assert complaint == f"2 folders could not be read (no permission): {shared}/one, {shared}/other"
