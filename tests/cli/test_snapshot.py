"""`npuscope snapshot`, run in the process and as a program."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from npuscope.cli import main, snapshot
from npuscope.tui import text

FIXTURES = Path(__file__).parents[1] / "fixtures" / "npu_smi"
PYTHONPATH = os.pathsep.join([str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH", "")])
DUO = "310P3_25.2.0_info_duo_4cards_processes"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("NPUSCOPE_NPU_SMI", raising=False)
    text.set_language("en")


def stand_in(name: str, then: str = "") -> list[str]:
    """Options that print a fixture whatever npu-smi is asked for."""
    command = f"cat {shlex.quote(str(FIXTURES / name))}.txt {then}"
    return ["--npu-smi", f"sh -c {shlex.quote(command)} npu-smi"]


def ran(*words: str) -> int:
    return snapshot.run(snapshot.parser().parse_args(words))


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("--json", *stand_in(DUO)) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and out.count("\n") == 1
    assert document["schema"] == "npuscope.snapshot/1"
    assert [(c["npu_id"], c["chip_id"]) for c in document["chips"]][:3] == [(2, 0), (2, 1), (3, 0)]
    assert document["chips"][0]["power_w"] is None and document["chips"][0]["hbm_total_mb"] is None
    assert document["source"]["ok"] is True and document["source"]["driver_version"] == "25.2.0"
    assert document["problems"] == [] and document["period_s"] is None


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*stand_in(DUO)) == 0
    lines = capsys.readouterr().out.splitlines()
    stamp, machine, rest = lines[0].split(" · ", 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", stamp) and machine == socket.gethostname()
    assert rest.startswith("npu-smi 25.2.0 · 8 chips · took ")
    assert lines[2].split() == ["chip", "model", "health", "AI", "Core", "%", "DDR", "GB", "%", "W", "°C"]
    assert lines[3].split() == ["2/0", "310P3", "OK", "0", "1.4/43.2", "3.2", "–", "70"]
    assert [line.split()[0] for line in lines[3:11]] == ["2/0", "2/1", "3/0", "3/1", "5/0", "5/1", "6/0", "6/1"]
    assert [line.split()[0] for line in lines[13:16]] == ["904545", "917047", "904546"]


def test_one_line_a_pid_with_the_sum_over_chips(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*stand_in("made_context_only")) == 0
    out = capsys.readouterr().out
    assert out.count("47881") == 1 and out.count("47882") == 1
    (line,) = (line for line in out.splitlines() if "47881" in line)
    assert line.split() == ["47881", "–", "0", "(+1", "context", "only)", "4.17", "–", "python"]


def test_names_are_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    evil = (FIXTURES / "made_context_only.txt").read_text(encoding="utf-8").replace("python", "\x9b2J[red]")
    (tmp_path / "evil.txt").write_text(evil, encoding="utf-8")
    assert ran("--npu-smi", f"sh -c 'cat {tmp_path}/evil.txt' x") == 0
    assert "\ufffd2J[red]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("error_8020_device_used", 3, "-8020"),
        ("910B1_23.0.rc2_topo", 3, "This is not the table"),
        ("910B4_25.5.0_info_excerpt_cut", 0, "cut after NPU 1 chip 0"),
        ("made_no_chips", 3, "without a single chip"),
    ],
)
def test_problems_go_to_stderr_and_tell_what_to_check(
    name: str, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(*stand_in(name)) == code
    out, err = capsys.readouterr()
    assert words in err and words not in out
    assert len(err.splitlines()) >= 2


def test_a_cut_table_is_not_taken_for_the_whole_box(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*stand_in("910B4_25.5.0_info_excerpt_cut")) == 0
    out, _ = capsys.readouterr()
    assert "2 chips read, the table was cut" in out.splitlines()[0]
    assert out.splitlines()[-1] == "Processes are unknown: the table was cut before them."


def test_an_error_in_json_is_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("--json", *stand_in("error_8005_container")) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["chips"] == [] and document["source"]["ok"] is False
    (problem,) = document["problems"]
    assert problem["code"] == "dcmi-8005" and "ret is -8005" in problem["message"]
    assert "/dev/davinci0" in problem["hint"]


def test_the_environment_names_the_tool(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPUSCOPE_NPU_SMI", stand_in(DUO)[1])
    assert ran("--json") == 0
    assert len(json.loads(capsys.readouterr().out)["chips"]) == 8


def test_watch_prints_a_document_a_line_and_hints_use_the_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("--json", "--watch", "3", "--interval", "0.1", *stand_in(DUO)) == 0
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [document["period_s"] is None for document in documents] == [True, False, False]
    assert all(document["period_s"] > 0 for document in documents[1:])
    assert ran("--watch", "2", "--interval", "0.1", *stand_in(DUO)) == 0
    assert "after the one before" in capsys.readouterr().out


def test_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("--lang", "zh", *stand_in("error_8020_device_used")) == 3
    out, err = capsys.readouterr()
    assert out == "" and "设备被别的容器占用" in err


@pytest.mark.parametrize("options", [["--ascii"], ["--ascii", "--json"], ["--ascii", "--lang", "zh"]])
def test_ascii(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*options, *stand_in("910B3_26.1.0_info_8cards_wide")) == 0
    out, err = capsys.readouterr()
    assert (out + err).isascii() and "910B3" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--interval", "0"], "--interval"),
        (["--interval", "nan"], "--interval"),
        (["--watch", "-1"], "--watch"),
        (["--source", "telepathy"], "replay:FILE"),
        (["--lang", "fr"], "--lang"),
    ],
)
def test_usage_errors_say_what_to_write(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        ran(*words)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def program(*words: str, **environ: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "npuscope", "snapshot", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **environ},
    )


def heard(fifo: Path) -> str:
    """What somebody writes into a FIFO, waited for but not for ever."""
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        select.select([reader], [], [], 20.0)
        return os.read(reader, 100).decode()
    finally:
        os.close(reader)


def test_a_plain_locale_gets_plain_ascii() -> None:
    with program(*stand_in("910B1_23.0.rc2_topo"), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0") as process:
        out, err = process.communicate()
    assert process.returncode == 3
    assert out.isascii() and err.isascii() and b"Traceback" not in err


def test_a_reader_that_goes_away_is_no_error() -> None:
    with program("--json", "--watch", "3", "--interval", "0.1", *stand_in(DUO)) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_quietly_and_npu_smi_too(number: int, tmp_path: Path) -> None:
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    tool = tmp_path / "npu-smi"
    tool.write_text(f"#!/bin/sh\necho $$ > {fifo}\nexec sleep 300\n", encoding="utf-8")
    tool.chmod(0o755)
    with program("--npu-smi", str(tool)) as process:
        child = int(heard(fifo))
        process.send_signal(number)
        out, err = process.communicate()
    assert (out, err, process.returncode) == (b"", b"", 128 + number)
    # a box whose first process does not reap keeps it as a zombie
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


def test_it_starts_without_the_heavy_libraries() -> None:
    script = (
        "import sys; from npuscope.cli import snapshot\n"
        f"code = snapshot.run(snapshot.parser().parse_args({['--json', *stand_in(DUO)]!r}))\n"
        "heavy = {'pandas', 'numpy', 'textual', 'rich', 'watchdog'} & set(sys.modules)\n"
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    environ = {**os.environ, "PYTHONPATH": PYTHONPATH}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environ, check=False)
    assert done.returncode == 0, done.stderr


def recording(tmp_path: Path, capsys: pytest.CaptureFixture[str], *names: str) -> Path:
    """A file of readings, one a line."""
    lines = []
    for name in names:
        ran("--json", *stand_in(name))
        lines.append(capsys.readouterr().out)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_replay_shows_the_last_reading_or_the_last_few(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = recording(tmp_path, capsys, DUO, "made_context_only", "error_8005_container")
    assert ran("--json", "--source", f"replay:{path}", "--watch", "2") == 0
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(document["chips"]) for document in documents] == [2, 0]
    assert documents[1]["problems"][0]["code"] == "dcmi-8005"
    assert ran("--source", f"replay:{path}") == 3
    assert "ret is -8005" in capsys.readouterr().err


def test_replay_of_what_is_no_recording(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert ran("--source", f"replay:{tmp_path}/none.jsonl") == 3
    assert "none.jsonl" in capsys.readouterr().err
    (tmp_path / "bad.jsonl").write_text("hello\n", encoding="utf-8")
    assert ran("--json", "--source", f"replay:{tmp_path}/bad.jsonl") == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["problems"][0]["code"] == "unreadable" and err == ""


def test_zero_is_no_reading_while_a_profile_is_collected(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "profiling_now", lambda folder, now: True)
    assert ran("--json", *stand_in("910B4_info_two_processes_one_chip")) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(c["aicore_pct"], c["aicore_note"]) for c in document["chips"]] == [(None, "profiling")] * 2
    assert "profiling-conflict" in [hint["code"] for hint in document["hints"]]


@pytest.mark.parametrize("command", ["snapshot", "report", "doctor"])
def test_a_command_behind_the_options_is_told_to_come_first(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--npu-smi", "x", command]) == 2
    err = capsys.readouterr().err
    assert f"the command comes first: npuscope {command}" in err and "there is no" not in err
