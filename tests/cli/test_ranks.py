"""`npuscope ranks`: the JSON contract, the page, exit codes, and what is chosen of a folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_ranks import settle, write_prof, write_rank
from nobody import as_nobody

from npuscope.cli import main, ranks
from npuscope.tui import text

FIXTURES = Path(__file__).parent.parent / "fixtures" / "ranks"
RANK = {
    "rank", "device", "path", "state", "computing_us", "communication_us", "overlapped_us", "free_us", "stage_us",
    "bubble_us", "preparing_us", "wait_us", "pipeline_stage", "late_by_pct", "late_by_us", "reason", "reason_code",
    "next_command", "times_from", "steps", "slowest_link_gbps",
}  # fmt: skip
USUAL = (("MatMulV2", 4, 100.0), ("Add", 8, 20.0), ("hcom_allReduce_", 2, 50.0))
SLOW = tuple((kind, calls, us * 1.3) for kind, calls, us in USUAL)


@pytest.fixture(autouse=True)
def english():
    yield
    text.set_language("en")


def said(capsys, *words, code=0):
    assert main(["ranks", *map(str, words), "--lang", "en"]) == code
    return capsys.readouterr()


def document(capsys, *words, code=0):
    return json.loads(said(capsys, *words, "--json", code=code).out)


@pytest.fixture
def job(tmp_path):
    """Four ranks whose folders sort the other way round; rank 3 computes 30 % longer."""
    for number, computing in enumerate((560.0, 561.0, 562.0, 728.0)):
        steps = {1: (computing, 800.0 - computing, 10.0)}
        write_rank(tmp_path, number, steps, SLOW if number == 3 else USUAL, stamp=f"2026010203040{number}000")
    return tmp_path


def test_the_contract(capsys, job):
    found = document(capsys, job)
    assert found["schema"] == "npuscope.ranks/1" and found["path"] == str(job)
    assert [one["rank"] for one in found["ranks"]] == [0, 1, 2, 3]
    assert all(set(one) == RANK for one in found["ranks"])
    assert [one["device"] for one in found["ranks"]] == [0, 1, 2, 3]
    last = found["ranks"][3]
    assert (last["computing_us"], last["communication_us"], last["free_us"], last["stage_us"]) == (728, 72, 10, 810)
    assert last["late_by_pct"] == pytest.approx(100 * (728 / 561 - 1)) and last["reason_code"] == "compute"
    assert last["steps"][0]["step"] == 1 and last["times_from"] == "step_trace_time"
    assert all(one["late_by_pct"] is None and "waits for rank 3" in one["reason"] for one in found["ranks"][:3])
    assert (found["mean_computing_us"], found["ranks_used"], found["missing_ranks"]) == (602.75, 4, [])
    verdict = found["verdict"]
    assert (verdict["late_rank"], verdict["kind"], verdict["cause"]) == (3, "compute", "clock")
    assert "Rank 3 is late by computing" in verdict["text"]
    assert [one["type"] for one in found["operators"]["types"]][:2] == ["MatMulV2", "Add"]
    assert found["operators"]["types"][0]["difference_pct"] == pytest.approx(30.0)


def test_the_page_has_the_verdict_first_and_one_line_a_rank(capsys, job):
    lines = said(capsys, job).out.splitlines()
    assert lines[0] == "Rank 3 is late by computing: 728.0 us, the others 561.0 us (+29.8 %)."
    assert lines[1].strip().startswith("All its operators take 30 % longer")
    head = next(number for number, line in enumerate(lines) if line.split()[:2] == ["rank", "device"])
    assert [line.split()[0] for line in lines[head + 1 : head + 5]] == ["0", "1", "2", "3"]
    assert lines[head + 4].endswith("+29.8  computing takes 167 us longer")
    assert max(map(len, lines)) <= 120
    assert any("MatMulV2" in line and "+30.0" in line for line in lines)


def test_top_limits_the_operators(capsys, job):
    assert len(document(capsys, job, "--top", 1)["operators"]["types"]) == 1
    assert "Add" not in said(capsys, job, "--top", 1).out


def test_markdown(capsys, job):
    out = said(capsys, job, "--markdown").out
    assert out.startswith("## Rank 3 is late by computing")
    assert "| 3 | 3 | 728.0 | 72.0 | 10.0 | 810.0 | +29.8 | computing takes 167 us longer |" in out
    assert "| hcom\\_allReduce\\_ |" in out


def test_missing_ranks_stand_in_their_places(capsys, tmp_path):
    metadata = {"distributed_args": {"world_size": 4}}
    for number in (0, 2):
        write_rank(tmp_path, number, {1: (100.0, 10.0, 1.0)}, metadata=metadata)
    assert document(capsys, tmp_path)["missing_ranks"] == [1, 3]
    out = said(capsys, tmp_path).out
    assert "Ranks 1, 3 are missing" in out
    assert [line.split()[0] for line in out.splitlines() if line.endswith("missing")] == ["1", "3"]


def test_a_rank_without_device_data_is_listed_with_its_reason_and_command(capsys, tmp_path):
    for number in range(3):
        write_rank(tmp_path, number, {1: (100.0, 10.0, 1.0)})
    raw = write_rank(tmp_path, 3, None)
    (raw / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").unlink()
    (raw / "ASCEND_PROFILER_OUTPUT").rmdir()
    found = document(capsys, tmp_path)
    last = found["ranks"][3]
    assert (last["rank"], last["state"], last["computing_us"], last["stage_us"]) == (3, "collected", None, None)
    assert "not analysed" in last["reason"] and "analyse" in last["next_command"]
    assert (found["ranks_used"], found["mean_computing_us"]) == (3, 100.0)


def test_without_step_tables_the_operators_tell(capsys, tmp_path):
    for number in range(3):
        write_rank(tmp_path, number, None, SLOW if number == 1 else USUAL)
    found = document(capsys, tmp_path)
    assert found["verdict"]["late_rank"] == 1 and found["ranks"][1]["computing_us"] == pytest.approx(728.0)
    assert [problem["code"] for problem in found["problems"]] == ["no-step-table"]
    assert "union of the compute rows" in said(capsys, tmp_path).out


def test_the_newest_job_is_taken_and_the_others_are_named(capsys, tmp_path):
    for day, computing in ((1, 500.0), (2, 100.0)):
        for number in range(2):
            stamp = f"2026010{day}030405006"
            write_rank(tmp_path / f"day{day}", number, {1: (computing, 10.0, 1.0)}, stamp=stamp)
    found = document(capsys, tmp_path)
    assert [one["computing_us"] for one in found["ranks"]] == [100.0, 100.0]
    (problem,) = found["problems"]
    assert problem["code"] == "other-jobs" and "day1" in problem["message"]


def test_ranks_of_one_job_in_a_folder_for_each_host(capsys, tmp_path):
    for number in range(4):
        write_rank(tmp_path / f"host{number // 2}", number, {1: (100.0, 10.0, 1.0)})
    assert [one["rank"] for one in document(capsys, tmp_path)["ranks"]] == [0, 1, 2, 3]
    assert len(document(capsys, tmp_path / "host0", tmp_path / "host1")["ranks"]) == 4


def test_a_second_profile_of_a_rank_is_left_out_and_told(capsys, job):
    write_rank(job, 1, {1: (9999.0, 10.0, 1.0)}, stamp="20250101000000000")
    found = document(capsys, job)
    assert found["ranks"][1]["computing_us"] == 561.0
    assert [problem["code"] for problem in found["problems"]] == ["duplicate-rank"]


def unknown(folder):
    """The run tells no rank."""
    (info,) = folder.glob("profiler_info_*.json")
    info.unlink()
    (folder / "profiler_info.json").write_text('{"rank_id": -1}', encoding="utf-8")
    settle(folder)


def call_it_rank_0(folder):
    """A job that was started without telling the profiler its ranks."""
    (info,) = folder.glob("profiler_info_*.json")
    info.unlink()
    (folder / "profiler_info_0.json").write_text('{"rank_id": "0"}')
    settle(folder)


def test_runs_without_a_rank_are_told_apart_by_their_device(capsys, tmp_path):
    for number, computing in enumerate((100.0, 101.0, 150.0)):
        unknown(write_rank(tmp_path, number, {1: (computing, 160 - computing, 1.0)}))
    found = document(capsys, tmp_path)
    assert [(one["rank"], one["device"]) for one in found["ranks"]] == [(None, 0), (None, 1), (None, 2)]
    assert found["verdict"]["text"].startswith("Device 2 is late by computing")
    assert found["verdict"]["late_rank"] is None and found["missing_ranks"] == []
    assert [problem["code"] for problem in found["problems"]] == ["unknown-rank"]


def test_runs_side_by_side_that_all_call_themselves_rank_0_are_told_apart_by_their_device(capsys, tmp_path):
    for number, computing in enumerate((100.0, 101.0, 150.0)):
        call_it_rank_0(write_rank(tmp_path, number, {1: (computing, 160 - computing, 1.0)}))
    found = document(capsys, tmp_path)
    assert [(one["rank"], one["device"]) for one in found["ranks"]] == [(None, 0), (None, 1), (None, 2)]
    assert found["verdict"]["text"].startswith("Device 2 is late by computing")
    assert [problem["code"] for problem in found["problems"]] == ["equal-ranks"]


def test_copies_of_one_rank_count_once(capsys, tmp_path):
    for number in range(3):
        call_it_rank_0(write_rank(tmp_path, number, {1: (100.0, 60.0, 1.0)}, device=5))
    found = document(capsys, tmp_path)
    assert [(one["rank"], one["device"]) for one in found["ranks"]] == [(0, 5)]
    assert [problem["code"] for problem in found["problems"]] == ["duplicate-rank", "duplicate-rank"]


@pytest.mark.parametrize("packed", [False, True])
def test_ranks_of_msprof_itself(capsys, tmp_path, packed):
    for number in range(4):
        folder = write_prof(tmp_path, number, 130.0 if number == 2 else 100.0)
        if packed:
            shutil.make_archive(str(folder), "zip", tmp_path, folder.name)
            shutil.rmtree(folder)
            settle(tmp_path)
    found = document(capsys, tmp_path)
    assert [(one["rank"], one["device"], one["computing_us"]) for one in found["ranks"]] == [
        (0, 0, 400.0), (1, 1, 400.0), (2, 2, 520.0), (3, 3, 400.0),
    ]  # fmt: skip
    assert (found["verdict"]["late_rank"], found["verdict"]["cause"]) == (2, "operator")
    (problem,) = found["problems"]
    assert (problem["code"], problem["hint"]) == ("no-step-table", None)  # msprof writes none: nothing is to be done


def test_runs_of_one_device_are_not_ranks_of_one_job(capsys, tmp_path):
    for number in range(3):
        unknown(write_rank(tmp_path, number, {1: (100.0 * (1 + number), 0.0, 1.0)}, device=0))
    found = document(capsys, tmp_path)
    assert len(found["ranks"]) == 1 and found["verdict"]["kind"] == "one"
    assert [problem["code"] for problem in found["problems"]].count("same-device") == 2


def test_real_ranks_and_a_cluster_table(capsys):
    found = document(capsys, FIXTURES / "four_ranks")
    assert found["verdict"]["late_rank"] is None and found["verdict"]["kind"] == "stages"
    assert found["ranks"][2]["computing_us"] == pytest.approx(400448.26)
    eight = document(capsys, FIXTURES / "cluster_eight")
    assert eight["verdict"]["late_ranks"] == [1, 6, 3] and eight["ranks_used"] == 8
    assert document(capsys, FIXTURES / "cluster_eight" / "cluster_step_trace_time.csv")["ranks"] == eight["ranks"]


def test_one_rank_alone_is_no_error(capsys, tmp_path):
    write_rank(tmp_path, 0, {1: (100.0, 10.0, 1.0)})
    found = document(capsys, tmp_path)
    assert found["verdict"]["late_rank"] is None and "Only one rank" in found["verdict"]["text"]


def test_nothing_to_read_is_one_sentence_and_a_code(capsys, tmp_path):
    out, err = said(capsys, tmp_path, code=3)
    assert out == "" and len(err.splitlines()) == 1 and "holds no profile" in err
    out, err = said(capsys, tmp_path / "gone", code=3)
    assert out == "" and "gone" in err and "Traceback" not in err
    assert document(capsys, tmp_path, code=3)["ranks"] == []


def test_only_raw_data_is_told_rank_by_rank(capsys, tmp_path):
    for number in range(2):
        folder = write_rank(tmp_path, number, None)
        (folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").unlink()
        (folder / "ASCEND_PROFILER_OUTPUT").rmdir()
    assert "No rank has times." in said(capsys, tmp_path, code=3).out


def test_closed_folders_are_code_4_be_they_runs_or_not(capsys, shared):
    write_rank(shared, 0, None).chmod(0)
    (shared / "host1").mkdir(mode=0)
    args = ranks.parser().parse_args([str(shared), "--lang", "en"])  # main would read root's settings too
    code, out, _ = as_nobody(lambda: [ranks.run(args), *capsys.readouterr()])
    assert code == 4 and "host1" in out


def test_what_is_damaged_is_code_4(capsys, tmp_path):
    (tmp_path / "ascend_pytorch_profiler_0.db").write_bytes(b"garbage, not a database at all")
    old = 1_700_000_000
    os.utime(tmp_path / "ascend_pytorch_profiler_0.db", (old, old))
    out = said(capsys, tmp_path, code=4).out
    assert "not a database" in out


def test_names_from_files_are_text(capsys, tmp_path):
    for number in range(3):
        kind = "Mat\x1b[31m[b]|x"
        operators = ((kind, 2, 130.0 if number == 2 else 100.0), ("Add", 4, 1.0))
        write_rank(tmp_path, number, {1: (330.0 if number == 2 else 200.0, 0.0, 0.0)}, operators)
    for form in ((), ("--markdown",)):
        assert "\x1b" not in said(capsys, tmp_path, *form).out


def test_chinese_and_ascii(capsys, job):
    assert main(["ranks", str(job), "--lang", "zh"]) == 0
    assert "rank 3 因计算而落后：728.0 us" in capsys.readouterr().out
    assert main(["ranks", str(job), "--lang", "en", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()


def test_no_textual_and_no_pandas_for_step_tables():
    code = (
        "import sys, contextlib, io\nfrom npuscope.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main(sys.argv[1:])\n"
        "print([name for name in ('textual', 'rich', 'pandas', 'numpy') if name in sys.modules])"
    )
    words = [sys.executable, "-c", code, "ranks", str(FIXTURES / "four_ranks")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_progress_is_only_for_a_terminal(capsys, job):
    assert said(capsys, job).err == ""


def test_help_names_the_options(capsys):
    text.set_language("en")
    shown = " ".join(ranks.parser().format_help().split())
    for word in ("PATH", "--json", "--markdown", "--top N"):
        assert word in shown
