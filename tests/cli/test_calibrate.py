"""`doctor --calibrate`: from an op_summary to a bandwidth that is kept, used, shown and forgotten."""

from __future__ import annotations

import json
import os
import time

import pytest

from npuscope import cli
from npuscope.analysis.basis import Basis, Calibration
from npuscope.cli import calibrations
from npuscope.tui import text
from npuscope.tui.opening import part_of

HEADER = (
    "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
)
BIG = 3 * 8192 * 8192 * 2  # bytes of one Add of 8192x8192 in 16 bits: 402.65 MB, twice the L2 of a 910B3
US_AT_1200 = BIG / 1200e3


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path):
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("NPUSCOPE_CONFIG", raising=False)
    text.set_language("en")


def profile(folder, durations_us, kind="Add", shape="8192,8192"):
    """An op_summary of one shape; one call per duration, 100 us apart."""
    folder.mkdir(parents=True, exist_ok=True)
    path, at, lines = folder / "op_summary_20260102030405.csv", 1e9, [HEADER]
    for number, us in enumerate(durations_us):
        tensors = f'"{shape};{shape}",FLOAT16;FLOAT16,ND;ND,"{shape}",FLOAT16,ND'
        lines.append(f"{kind}_{number},{kind},AI_VECTOR_CORE,{at:.3f},{us:.3f},0,40,{tensors}")
        at += us + 100
    path.write_text("\n".join(lines) + "\n")
    os.utime(path, (time.time() - 3600,) * 2)
    return path


def run(capsys, *words):
    code = cli.main([*map(str, words), "--lang", "en"])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_measured_kept_used_shown_and_forgotten(tmp_path, capsys):
    path = profile(tmp_path / "p", [US_AT_1200 * 3, *[US_AT_1200] * 4, US_AT_1200 / 1.2])
    code, out, err = run(capsys, "doctor", "--calibrate", path, "--chip", "910B3")
    assert (code, err) == (0, "")
    assert "Ascend910B3: HBM 1200 GB/s, the median of 6 calls of Add 8192,8192;8192,8192" in out
    assert "75 % of the 1600 GB/s in the chips table" in out
    kept = calibrations.place()
    assert kept.is_relative_to(tmp_path / "data") and [p.name for p in kept.parent.iterdir()] == [kept.name]
    (one,) = calibrations.read(kept)
    assert (one.chip, one.gbps, one.operator, one.calls) == ("Ascend910B3", 1200.0, "Add", 6)

    def bound(*more):
        document = json.loads(run(capsys, "report", path, "--chip", "910B3", "--json", *more)[1])
        (found,) = document["runs"][0]["types"]
        return round(found["bound_us"] / found["count"], 1), found["bound_source"]

    us, source = bound()
    assert us == round(US_AT_1200, 1)
    assert source.startswith("HBM 1200 GB/s (calibrated 20") and "from Add 8192,8192;8192,8192, 6 calls" in source
    assert bound("--hbm-gbps", "1000") == (round(BIG / 1000e3, 1), "HBM 1000 GB/s (--hbm-gbps)")

    code, out, _ = run(capsys, "doctor", tmp_path, "--npu-smi", "false")
    assert "Ascend910B3: 1200 GB/s" in out and "--calibrate-reset Ascend910B3" in out
    assert run(capsys, "doctor", "--calibrate-reset", "910B3")[0] == 0
    assert bound()[0] == round(BIG / 1600e3, 1)
    code, _, err = run(capsys, "doctor", "--calibrate-reset", "910B3")
    assert code == 3 and "nothing to forget" in err


def test_the_calls_it_was_measured_with_do_not_come_from_l2(tmp_path, capsys):
    """The median is kept, so half of the calls are a little faster; that is scatter, and no cache."""
    path = profile(tmp_path / "p", [US_AT_1200 * (1 + step / 100) for step in (-2, -1, 0, 1, 2)])
    assert run(capsys, "doctor", "--calibrate", path, "--chip", "910B3")[0] == 0
    for more, detail in (((), "hbm"), (("--hbm-gbps", "1100"), "l2")):
        document = json.loads(run(capsys, "report", path, "--chip", "910B3", "--json", "--ops", "9", *more)[1])
        assert [op["detail"] for op in document["runs"][0]["ops"]] == [detail] * 5


@pytest.mark.parametrize(
    ("durations", "shape", "kind", "said"),
    [
        ([US_AT_1200] * 2, "8192,8192", "Add", "in 3 calls or more of 20.0 us or longer"),  # too few calls
        ([60.0] * 5, "2048,4096", "Add", "no operator fits"),  # 50 MB: L2 may have held them
        ([US_AT_1200] * 5, "8192,8192", "MatMulV2", "no elementwise operator or copy"),
        ([BIG / 2145e3] * 5, "8192,8192", "Add", "over 1.3 times the 1600 GB/s published"),
        ([BIG / 4500e3] * 5, "8192,8192", "Add", "more than L2 of Ascend910B3 can"),
        ([BIG / 700e3] * 5, "8192,8192", "Add", "under 50 % of the 1600 GB/s published"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_reason(tmp_path, capsys, durations, shape, kind, said):
    path = profile(tmp_path / "p", durations, kind, shape)
    code, out, err = run(capsys, "doctor", "--calibrate", path, "--chip", "910B3")
    assert (code, out) == (3, "") and said in err and err.count("\n") == 1
    assert not calibrations.place().exists()


def test_one_fast_call_is_not_the_memory(tmp_path, capsys):
    path = profile(tmp_path / "p", [US_AT_1200] * 5 + [US_AT_1200 / 3])
    assert run(capsys, "doctor", "--calibrate", path, "--chip", "910B3")[0] == 0
    assert calibrations.read(calibrations.place())[0].gbps == 1200.0


def test_an_unknown_chip_a_missing_path_and_another_chip(tmp_path, capsys):
    path = profile(tmp_path / "p", [US_AT_1200] * 5)
    code, _, err = run(capsys, "doctor", "--calibrate", path)
    assert code == 3 and "--chip 910B3" in err
    code, _, err = run(capsys, "doctor", "--calibrate", tmp_path / "nothing")
    assert code == 4 and "No such file" in err
    run(capsys, "doctor", "--calibrate", path, "--chip", "910B3")
    run(capsys, "doctor", "--calibrate", path, "--chip", "910B2")
    assert [one.chip for one in calibrations.read(calibrations.place())] == ["Ascend910B2", "Ascend910B3"]
    code, _, err = run(capsys, "doctor", "--calibrate-reset", "910B1")
    assert code == 3 and "there is: Ascend910B2, Ascend910B3" in err
    assert run(capsys, "doctor", "--calibrate-reset")[0] == 0 and not calibrations.place().exists()


def test_a_file_that_cannot_be_used_is_one_sentence_and_can_be_removed(tmp_path, capsys):
    path = profile(tmp_path / "p", [US_AT_1200] * 5)
    for broken in ("[Ascend910B3", '[Ascend910B3]\nhbm_gbps = "much"\n', "Ascend910B3 = 3\n"):
        calibrations.place().parent.mkdir(parents=True, exist_ok=True)
        calibrations.place().write_text(broken)
        code, _, err = run(capsys, "report", path)
        assert code == 2 and "--calibrate-reset removes it" in err and "Traceback" not in err
        assert run(capsys, "doctor", tmp_path, "--npu-smi", "false")[0] == 0
        assert run(capsys, "doctor", "--calibrate-reset")[0] == 0
    assert run(capsys, "report", path)[0] == 0


def test_names_of_files_stay_text(tmp_path):
    odd = Calibration("Ascend910B3", 1200.5, "2026-01-02", 'a"b\\c\x1b[31m\n\udce9 中', "Add", "8,8", 3)
    other = Calibration("Ascend 950", 1500.0, "", "", "", "", 3)
    path = tmp_path / "x" / "calibration.toml"
    calibrations.write(path, [odd, other])
    back = {one.chip: one for one in calibrations.read(path)}
    assert back["Ascend 950"] == other
    assert back["Ascend910B3"].gbps == 1200.5 and back["Ascend910B3"].profile.startswith('a"b\\c')
    assert back["Ascend910B3"].profile.isprintable()


def test_summaries_of_other_bandwidths_and_thresholds_are_kept_apart():
    one = Calibration("Ascend910B3", 1200.0, "2026-01-02", "p", "Add", "8,8", 3)
    parts = [
        part_of(basis)
        for basis in (
            Basis(),
            Basis("910B3"),
            Basis(hbm_gbps=1200.0),
            Basis(calibrations=(one,)),
            Basis(limits=(("move_cube", 0.9),)),
            Basis(limits=(("move_cube", 0.91),)),
        )
    ]
    assert len(set(parts)) == len(parts)
