"""[thresholds] of config.toml: checked by name and range, in force in every view of a profile, listed by doctor."""

from __future__ import annotations

import dataclasses
import json
import os
import time

import pytest
from made_profile import write_profile

from npuscope import cli
from npuscope.analysis.threshold_list import IN_ORDER, ORIGINS, in_range, listed
from npuscope.analysis.thresholds import DEFAULTS, SOURCES, ThresholdError, overridden
from npuscope.cli import monitor
from npuscope.cli.doctor_checks import LACKS
from npuscope.parsers.discovery.runs import look_at
from npuscope.tui import jobs, text


@pytest.fixture
def config(monkeypatch, tmp_path):
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    path = tmp_path / "config.toml"
    monkeypatch.setenv("NPUSCOPE_CONFIG", str(path))
    text.set_language("en")
    return path


@pytest.fixture
def made(tmp_path):
    folder = write_profile(tmp_path)
    old = time.time() - 3600
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (old, old))
    return folder


def report(capsys, made):
    assert cli.main(["report", str(made), "--json", "--lang", "en"]) == 0
    return json.loads(capsys.readouterr().out)["runs"][0]


def test_they_change_labels_and_findings(config, made, capsys):
    def labels():
        found = report(capsys, made)
        return {one["type"]: one["label"] for one in found["types"]}, [one["code"] for one in found["findings"]]

    before, findings = labels()
    assert before["MatMulV2"] == "memory" and "small-op-storm" in findings
    config.write_text("[thresholds]\nmove_cube = 0.99\nidle_share = 0.9\n")
    after, findings = labels()
    assert after["MatMulV2"] != "memory" and "small-op-storm" not in findings
    assert {name: label for name, label in after.items() if name != "MatMulV2"} == {
        name: label for name, label in before.items() if name != "MatMulV2"
    }


def test_the_screens_get_them_too(config, made, monkeypatch):
    config.write_text("[thresholds]\nmove_cube = 0.99\n")
    given = []
    monkeypatch.setattr(monitor, "launch", lambda options: given.append(options) or 0)
    assert cli.main([str(made)]) == 0
    (options,) = given
    run = look_at(made, time.time())
    assert jobs.open_run(run, options.basis, False).thresholds.move_cube == 0.99
    assert jobs.open_run(run, options.basis, False).types.strings("label")[0] != "memory"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[thresholds]\nmove_cub = 0.9", "no threshold move_cub; did you mean move_cube"),
        ("[thresholds]\nMOVE_CUBE = 0.9", "did you mean move_cube"),
        ("[thresholds]\nzzz = 0.9", "no threshold zzz; npuscope doctor --thresholds lists all"),
        ('[thresholds]\nmove_cube = "high"', "move_cube must be a number, not high"),
        ("[thresholds]\nmove_cube = true", "move_cube must be a number, not True"),
        ("[thresholds]\nmove_cube = nan", "move_cube must be a number, not nan"),
        ("[thresholds]\nmove_cube = 80", "move_cube is a share: over 0 and up to 1, not 80"),
        ("[thresholds]\nmove_cube = 0", "move_cube is a share"),
        ("[thresholds]\nwait_us = -1", "wait_us is a time in us"),
        ("[thresholds]\ntie_low = 0.6", "tie_low must not be over tie_high"),
        ("thresholds = 3", "thresholds cannot be that: 3"),
    ],
)
def test_what_cannot_be_is_one_sentence(config, capsys, written, said):
    config.write_text(written)
    assert cli.main(["report", "."]) == 2
    err = capsys.readouterr().err
    assert said in err and str(config) in err and err.count("\n") == 1


def test_doctor_lists_what_is_changed_and_where(config, capsys, tmp_path):
    config.write_text('chip = "910B3"\n[thresholds]\nmove_cube = 0.9\ntie = 0.05\n')
    cli.main(["doctor", str(tmp_path), "--npu-smi", "false", "--lang", "en"])
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if "move_cube" in line]
    assert "0.9 share; default 0.8" in line and str(config) in line
    assert not [line for line in lines if line.split()[:1] == ["tie"]]  # set to its default: nothing is changed
    (line,) = [line for line in lines if "910B3" in line]
    assert str(config) in line
    cli.main(["doctor", "--thresholds", "--lang", "en"])
    out = capsys.readouterr().out
    assert "* move_cube" in out and all(f" {name} " in out for name in SOURCES)
    cli.main(["doctor", "--thresholds", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["thresholds"] if one["changed"]] == ["move_cube"]


@pytest.mark.parametrize("written", ["lang = 'zh'\n[thresholds]\nmove_cub = 0.9", "theme = ", "colour = 'red'"])
def test_doctor_tells_what_is_wrong_with_the_settings_and_goes_on(config, capsys, tmp_path, written):
    config.write_text(written)
    assert cli.main(["report", "."]) == 2
    error = capsys.readouterr().err.strip()
    assert cli.main(["doctor", str(tmp_path), "--npu-smi", "false", "--json", "--lang", "en"]) == 0
    document = json.loads(capsys.readouterr().out)
    (check,) = [one for one in document["checks"] if one["name"] == "config"]
    assert check["state"] == LACKS and check["text"].endswith(error) and check["fix"]
    assert {one["name"]: one["origin"] for one in document["settings"]}["theme"] != "option"
    assert len(document["checks"]) > 10
    assert cli.main(["doctor", "--thresholds", "--lang", "en"]) == 2
    assert capsys.readouterr().err.strip() == error


def test_every_threshold_has_a_unit_that_its_default_fits_and_a_source_that_is_spelled_out():
    for one in listed({}):
        assert in_range(one.name, one.default) and not one.changed
        for named in one.source.split("[")[1:]:
            short = [word.strip(",;:]").split("]")[0] for word in named.split("]")[0].replace(";", ",").split(",")]
            assert any(word.split(" ")[0].strip() in ORIGINS for word in short) or "delta_report" in named
    for low, high in IN_ORDER:
        assert getattr(DEFAULTS, low) < getattr(DEFAULTS, high)


def test_every_threshold_can_be_set():
    for name in SOURCES:
        assert getattr(overridden({name: getattr(DEFAULTS, name)}), name) == getattr(DEFAULTS, name)
    with pytest.raises(ThresholdError):
        overridden({"move_cube": float("inf")})
    assert dataclasses.asdict(overridden({})) == dataclasses.asdict(DEFAULTS)
