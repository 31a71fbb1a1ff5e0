"""`report --explain LABEL`: every class explains itself with a row's numbers, its thresholds and their sources."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from made_ops import look, op, vector
from made_profile import HEADER, START_NS, write_profile

from npuscope.analysis.labels.verdict import LABELS
from npuscope.analysis.rules import kinds
from npuscope.cli import report
from npuscope.cli.report import Looked
from npuscope.cli.reporting import explain
from npuscope.tui import text


@pytest.fixture(autouse=True)
def english():
    yield
    text.set_language("en")


@pytest.fixture
def made(tmp_path):
    """The made profile, and on its end rows of every kind that is no kernel, and kernels without counters."""
    folder = write_profile(tmp_path)
    csv = next(folder.rglob("op_summary*.csv"))
    blanks = ",".join(["N/A"] * (len(HEADER.split(",")) - 20))
    rows = [
        ("hcom_allReduce__1", "hcom_allReduce_", "COMMUNICATION", 200.0),
        ("ArgSort_1", "ArgSort", "AI_CPU", 45.0),
        ("memcpy_1", "Memcpy", "SDMA_SQE", 7.0),
        ("Sin_1", "Sin", "AI_VECTOR_CORE", 30.0),
    ]
    at, lines = START_NS / 1000 + 500.0, []
    for name, kind, core, us in rows:
        at += 1000.0
        tensors = '"""4096""",FLOAT16,ND,"""4096""",FLOAT16,ND'
        lines.append(f"0,1,9,3,{name},{kind},static,{core},{at:.3f},{us},0,1,0,NO,{tensors},{blanks}")
    csv.write_text(csv.read_text(encoding="utf-8") + "\n".join(lines) + "\n", encoding="utf-8")
    old = time.time() - 3600
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (old, old))
    return folder


def said(capsys, *words, code=0):
    assert report.run(report.parser().parse_args([*map(str, words), "--lang", "en"])) == code
    return capsys.readouterr().out


def flat(page):
    return " ".join(page.split())


def test_a_kernel_with_every_condition_threshold_and_source(made, capsys):
    page = flat(said(capsys, made, "--explain", "memory", "--chip", "910B3"))
    assert "MatMulV2_0, MatMulV2, AI_CORE, 1024,2560;2560,2560, 117 us (the longest of 6)" in page
    assert "holds: mte2 of the cube side: 0.96 >= 0.80 (move_cube: [ADV FA; ASI, REC]" in page
    assert "not: cube busy: 0.60 >= 0.88 (cube_wins: [DEV]" in page
    assert "msprof --aic-metrics=L2Cache --task-time=l1 PROGRAM" in page
    assert "memory: score 0.96: gives the label" in page


def test_a_row_by_its_type_or_name(made, capsys):
    for name in ("add", "Add_1", "dd_"):
        page = said(capsys, made, "--explain", f"memory:{name}", "--chip", "910B3")
        assert "Add_" in page.splitlines()[1], page
    assert "Add_1, Add" in said(capsys, made, "--explain", "memory:Add_1", "--chip", "910B3")


@pytest.mark.parametrize(
    ("label", "sentences"),
    [
        (
            "communication",
            (
                "holds: task type COMMUNICATION: one of COMMUNICATION, HCCL",
                "holds: hcom_allReduce_: begins with one of hcom, lccl, lcoc",
                "not: communication alone, of the span: 0.04 >= 0.10 (exposed:",
            ),
        ),
        (
            "ai_cpu",
            (
                "ArgSort_1, ArgSort, AI_CPU",
                "holds: task type AI_CPU: one of AI_CPU",
                "holds: duration: 45.0 us > 20.0 us (ai_cpu_us: [ADV]",
                "not: duration: 45.0 us > 1.00 ms (ai_cpu_high_us: [ASI])",
                "AI CPU, of the run's time: 0.06 >= 0.05 (ai_cpu_share: [MSP]",
            ),
        ),
        ("other", ("memcpy_1", "holds: task type SDMA_SQE: has no core counters")),
        ("unknown", ("Sin_1, Sin", "core counters of this kernel are N/A", "unknown: ")),
        ("launch", ("idle device before it: 100 us > 10.0 us (wait_us: [MSP condition_wait_time_1]",)),
        ("stall", ("RmsNorm", "scalar unit: 0.95 >= 0.80 (scalar: [MSP scalar]")),
        ("access", ("TransData[x]",)),
    ],
)
def test_every_class_explains_itself(made, capsys, label, sentences):
    page = flat(said(capsys, made, "--explain", label, "--chip", "910B3"))
    for sentence in sentences:
        assert sentence in page, (sentence, page)


def test_a_mixed_type_tells_its_shares_against_the_limit():
    """Half of the time movement-bound, half of it bound by scalar work."""
    add = {"name": "Add_0", "type": "Add", "core": "AI_VECTOR_CORE", "block_dim": 40}
    summary = look(
        op(0, 100, **add, **vector(mte2=0.95)), op(110, 100, **add, **vector(scalar=0.95, mte2=0.05)), chip="910B3"
    )
    text.set_language("en")
    page = flat("\n".join(explain.lines(Looked(summary.profile.run, summary), "mixed", "")))
    assert "memory: of the type's time: 0.50 >= 0.60 (named: own choice" in page
    assert "stall: of the type's time: 0.50 >= 0.60" in page
    assert "Add" in page and "2 calls, 200 us" in page


def test_a_label_that_is_not_there_says_which_are(made, capsys):
    page = said(capsys, made, "--explain", "compute", code=3)
    assert "No row is compute-bound" in page and "memory" in page and "name:" not in page


def test_a_word_that_is_no_label_is_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        report.parser().parse_args(["x", "--explain", "slow"])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert all(label in shown for label in LABELS)
    with pytest.raises(SystemExit):
        report.parser().parse_args(["x", "--explain", "memory", "--json"])


def test_in_chinese_and_without_textual(made):
    words = ["report", str(made), "--explain", "memory", "--lang", "zh"]
    code = f"import sys; from npuscope.cli import main; main({words!r}); print('textual' in sys.modules, 'end')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "访存" in done.stdout and done.stdout.split()[-2] == "False"


def test_the_words_of_kinds_are_those_that_decide():
    assert kinds.is_communication_core("HCCL") and not kinds.is_communication_core("AI_CORE")
    assert kinds.sends("hcom_allReduce_", None) and kinds.sends(None, "lccl_x") and not kinds.sends("Add", "hcom_x")
    assert kinds.is_other_core("SDMA_SQE") and not kinds.is_other_core(None)
