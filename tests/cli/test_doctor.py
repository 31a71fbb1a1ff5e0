"""`npuscope doctor` on boxes that stand in a folder."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from npuscope.cli import doctor, doctor_checks
from npuscope.cli.doctor_checks import LACKS, NOTE, OK, Check, Terminal
from npuscope.sources import surroundings
from npuscope.tui import text

FIXTURES = Path(__file__).parents[1] / "fixtures" / "npu_smi"
SRC = str(Path(__file__).parents[2] / "src")
STATES = {OK, NOTE, LACKS}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("NPUSCOPE_NPU_SMI", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    text.set_language("en")


def args_of(*words: str) -> argparse.Namespace:
    return doctor.parser().parse_args(words)


def stand_in(name: str) -> list[str]:
    return ["--npu-smi", f"sh -c {shlex.quote(f'cat {shlex.quote(str(FIXTURES / name))}.txt')} npu-smi"]


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A box with driver, toolkit, devices and limits below one folder."""
    toolkit = tmp_path / "usr/local/Ascend/ascend-toolkit/latest"
    put(tmp_path / surroundings.DRIVER_INFO, "Version=24.1.0\nascendhal_version=7.35.23\n")
    put(toolkit / "compiler/version.info", "Version=8.0.RC3\nversion_dir=8.0\n")
    put(toolkit / "tools/profiler/bin/msprof", "#!/bin/sh\n").chmod(0o755)
    for name in ("davinci0", "davinci1", "davinci_manager"):
        put(tmp_path / "dev" / name, "")
    put(tmp_path / "proc/sys/fs/inotify/max_user_watches", "8192\n")
    put(tmp_path / "proc/sys/fs/inotify/max_user_instances", "128\n")
    put(tmp_path / "proc/mounts", "/dev/sda1 / ext4 rw 0 0\n")
    return tmp_path


def put(path: Path, words: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(words)
    return path


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_whole_box(box: Path) -> None:
    (box / "prof").mkdir()
    checks = doctor.examine(
        args_of(str(box / "prof"), *stand_in("310P3_25.2.0_info_duo_4cards_processes")), {"PATH": ""}, False, box
    )
    found = by_name(checks)
    assert {check.state for check in checks if check.area in ("live", "profiles")} == {OK}
    assert found["npu-smi"].values["chips"] == 8 and found["npu-smi"].values["version"] == "25.2.0"
    assert found["devices"].values["devices"] == 2
    assert found["driver"].values["version"] == "24.1.0"
    assert found["CANN"].values["version"] == "8.0.RC3"
    assert found["msprof"].values["path"] == str(
        box / "usr/local/Ascend/ascend-toolkit/latest/tools/profiler/bin/msprof"
    )
    assert found["watching"].values["max_user_watches"] == 8192 and found["watching"].values["file_system"] == "ext4"


def test_a_box_without_an_npu_says_what_is_missing_and_what_mends_it(tmp_path: Path) -> None:
    checks = by_name(
        doctor.examine(args_of(str(tmp_path), "--npu-smi", "no-such-npu-smi"), {"PATH": ""}, False, tmp_path)
    )
    assert checks["npu-smi"].state == LACKS and checks["npu-smi"].values["problem"] == "not-found"
    assert checks["msprof"].state == LACKS and checks["CANN"].state == NOTE and checks["devices"].state == NOTE
    assert checks["reading"].state == OK
    for name in ("npu-smi", "msprof", "devices"):
        assert checks[name].fix is not None


def test_npu_smi_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    command = "sh -c 'echo dcmi module initialize failed. ret is -8005; exit 1' npu-smi"
    check = by_name(doctor.examine(args_of(str(tmp_path), "--npu-smi", command), {"PATH": ""}, False, tmp_path))[
        "npu-smi"
    ]
    assert check.state == LACKS and check.values["problem"] == "dcmi-8005"
    assert "-8005" in text.told(check.text)


@pytest.mark.parametrize("place", ["compiler/version.info", "version.info", "ascend_toolkit_install.info"])
def test_the_toolkit_that_the_environment_names_comes_first(tmp_path: Path, box: Path, place: str) -> None:
    put(tmp_path / "mine" / place, "package_name=toolkit\nversion=9.1\n")
    found = surroundings.cann({"ASCEND_HOME_PATH": str(tmp_path / "mine")}, box)
    assert found == surroundings.Cann(str(tmp_path / "mine"), "9.1", "ASCEND_HOME_PATH")
    gone = surroundings.cann({"ASCEND_HOME_PATH": str(tmp_path / "gone")}, box)
    assert gone is not None and gone.variable == ""


def test_device_files_that_are_closed_name_the_group(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings.os, "access", lambda path, mode: Path(path).name != "davinci1")
    found = surroundings.devices(box)
    assert found.closed == str(box / "dev/davinci1") and found.group
    check = doctor_checks._devices(found)
    assert check.state == LACKS and check.fix is not None
    assert text.told(check.fix).startswith(f"sudo usermod -aG {found.group} ")


def test_too_few_watches_are_told_with_the_command(box: Path) -> None:
    put(box / "proc/sys/fs/inotify/max_user_watches", "2")
    for name in "abc":
        (box / "prof" / name).mkdir(parents=True)
    check = by_name(doctor_checks.folder(box / "prof", box))["watching"]
    assert check.state == NOTE and check.values["folders"] == 3
    assert check.fix is not None and "sysctl" in text.told(check.fix)


def test_a_network_file_system_is_polled(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks.events, "silent_file_system", lambda root: "nfs4")
    check = by_name(doctor_checks.folder(box, box))["watching"]
    assert check.state == NOTE and check.values["polling"] == "nfs4"
    assert text.told(check.text) == "polled (nfs4 sends no events)"


def test_runs_are_counted_by_what_they_need(box: Path) -> None:
    table = put(
        box / "prof/PROF_000001_20260102030405006_ABCDEFGH/mindstudio_profiler_output/op_summary_20260102030500.csv",
        "Op Name\n",
    )
    os.utime(table, (1_700_000_000, 1_700_000_000))
    (box / "prof/PROF_000002_20260102030405006_ABCDEFGH").mkdir()
    check = by_name(doctor_checks.folder(box / "prof", box, now=2_000_000_000))["profiles"]
    assert (check.values["runs"], check.values["ready"], check.values["empty"]) == (2, 1, 1)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    checks = by_name(doctor_checks.folder(tmp_path / "gone", tmp_path))
    assert checks["profiles"].state == LACKS and checks["space"].state == NOTE


def test_little_space_is_told(tmp_path: Path) -> None:
    disk = surroundings.Disk("ext4", 12_000_000, True)
    assert doctor_checks._space(tmp_path, disk).state == LACKS
    assert doctor_checks._space(tmp_path, surroundings.Disk("ext4", None, True)).state == NOTE


def terminal(**more: object) -> Terminal:
    values = {
        "name": "xterm-256color",
        "columns": 120,
        "rows": 40,
        "colors": "256",
        "ascii_only": False,
        "locale": "C.UTF-8",
    }
    return Terminal(**{**values, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "more, name, state",
    [
        ({}, "size", OK),
        ({"columns": 72, "rows": 20}, "size", LACKS),
        ({"columns": None, "rows": None}, "size", NOTE),
        ({"name": "dumb", "colors": None}, "terminal", LACKS),
        ({"colors": "standard"}, "colours", NOTE),
        ({"colors": None}, "colours", NOTE),
        ({"ascii_only": True, "locale": "POSIX"}, "letters", NOTE),
    ],
)
def test_terminals(more: dict[str, object], name: str, state: str) -> None:
    assert by_name(doctor_checks.screen(terminal(**more)))[name].state == state


@pytest.mark.parametrize(
    "environ, colors",
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "truecolor"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "xterm"}, "standard"),
        ({"TERM": "dumb"}, None),
        ({}, None),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, None),
    ],
)
def test_colors_of(environ: dict[str, str], colors: str | None) -> None:
    assert doctor.colors_of(environ) == colors


@pytest.mark.parametrize(
    "words, environ, origins",
    [
        ([], {}, {"npu-smi": "default", "lang": "default", "interval": "default", "theme": "TERM"}),
        ([], {"NPUSCOPE_NPU_SMI": "x", "LANG": "zh_CN.UTF-8"}, {"npu-smi": "NPUSCOPE_NPU_SMI", "lang": "LANG"}),
        (["--npu-smi", "y", "--interval", "3"], {"NPUSCOPE_NPU_SMI": "x"}, {"npu-smi": "option", "interval": "option"}),
        (["--lang", "zh"], {"LANG": "C"}, {"lang": "option", "ascii": "LANG"}),
        ([], {"NO_COLOR": "1"}, {"color": "NO_COLOR", "theme": "NO_COLOR"}),
    ],
)  # fmt: skip
def test_every_setting_says_where_it_comes_from(
    words: list[str], environ: dict[str, str], origins: dict[str, str]
) -> None:
    found = {setting.name: setting.origin for setting in doctor.settings_of(args_of(*words), environ, False)}
    assert {name: found[name] for name in origins} == origins


def test_json_is_one_document_and_the_code_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run(args_of(str(tmp_path), "--json", "--npu-smi", "no-such-npu-smi")) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and out.count("\n") == 1
    assert document["schema"] == "npuscope.doctor/1" and document["missing"] >= 1
    assert {check["state"] for check in document["checks"]} <= STATES
    assert {"area", "name", "state", "text", "fix", "values"} == set(document["checks"][0])
    assert {"name", "value", "origin"} == set(document["settings"][0])


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_text_begins_with_the_answer_and_keeps_to_the_width(tmp_path: Path, language: str) -> None:
    text.set_language(language)
    args = args_of(str(tmp_path), "--npu-smi", "no-such-npu-smi")
    checks = doctor.examine(args, {"PATH": ""}, False, tmp_path)
    page = doctor.lines(checks, doctor.settings_of(args, {}, False), 80)
    assert page[0].startswith("npuscope ") and str(sum(check.state == LACKS for check in checks)) in page[0]
    told = [line for line in page if line.startswith("  ok  ") or line.startswith("  !   ")]
    assert told and all(doctor.cells(line) <= 80 for line in told)


@pytest.mark.parametrize("check", doctor_checks.program(), ids=lambda check: check.name)
def test_the_packages_that_run_these_tests_are_found(check: Check) -> None:
    assert check.state == OK and check.values["version"]


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks.surroundings, "package_versions", lambda names: {"pandas": None})
    check = by_name(doctor_checks.program())["pandas"]
    assert check.state == LACKS and check.fix is not None
    assert text.told(check.fix) == "python3 -m pip install pandas"


def test_as_a_program_it_needs_neither_pandas_nor_textual(tmp_path: Path) -> None:
    code = (
        "import sys; from npuscope.cli import main\n"
        "code = main(['doctor', sys.argv[1], '--ascii', '--npu-smi', 'no-such-npu-smi'])\n"
        "loaded = {'pandas', 'numpy', 'textual'} & set(sys.modules)\n"
        "sys.exit(code or sorted(loaded) or None)"
    )
    environ = {**os.environ, "PYTHONPATH": SRC, "LC_ALL": "C"}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False, env=environ)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.isascii() and b"Live chips" in done.stdout
