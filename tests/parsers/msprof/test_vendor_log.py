"""What msprof op printed: kept for the operator it names with its time, for no other."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.opprof import vendor_log
from npuscope.parsers.msprof.opprof.visualize import Advice
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.profile import Profile, VendorText

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opprof"
LOG = "logs/msprof_roofline.stdout"
SAID = (
    Advice("latency bound:pipeline caused", "roofline"),
    Advice("MTE2 bandwidth utilization lower than 80% when active", "advice"),
)
LATER = time.time() + 3600


def profile_of(folder: Path) -> Profile:
    return read_profile(look_at(folder / "reports" / "OPPROF_001", LATER))


def said(folder: Path) -> tuple[VendorText, ...]:
    return profile_of(folder).vendor_verdict


def copied(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES / "roofline", tmp_path / "run")
    return tmp_path / "run"


def changed(folder: Path, old: str, new: str) -> None:
    log = folder / LOG
    log.write_text(log.read_text("utf-8").replace(old, new), "utf-8")
    os.utime(log, (LATER, LATER))


def test_a_real_log():
    text = (FIXTURES / "roofline" / LOG).read_text("utf-8")
    (one,) = vendor_log.parse(text, "x.stdout")
    assert (one.name, one.duration_us, one.advice, one.file) == ("sanitized_roofline_kernel", 9.68, SAID, "x.stdout")


def test_the_log_beside_the_reports_speaks_of_its_run():
    assert said(FIXTURES / "roofline") == (
        VendorText(0, SAID[0].text, "roofline", 0, "msprof_roofline.stdout"),
        VendorText(0, SAID[1].text, "advice", 0, "msprof_roofline.stdout"),
    )


def test_the_vendors_class_is_a_column_of_its_operator(tmp_path):
    assert profile_of(FIXTURES / "roofline").ops.strings("vendor_verdict").tolist() == ["latency bound:pipeline caused"]
    folder = copied(tmp_path)
    (folder / LOG).unlink()
    assert "vendor_verdict" not in profile_of(folder).ops


def test_a_log_inside_the_run(tmp_path):
    folder = copied(tmp_path)
    shutil.move(str(folder / LOG), str(folder / "reports/OPPROF_001/msprof.log"))
    assert [one.file for one in said(folder)] == ["msprof.log", "msprof.log"]


def test_a_log_of_another_run_says_nothing(tmp_path):
    folder = copied(tmp_path)
    changed(folder, "9.680000", "9.690000")
    assert said(folder) == ()


def test_a_log_of_another_operator_says_nothing(tmp_path):
    folder = copied(tmp_path)
    changed(folder, "Op Name: sanitized", "Op Name: other")
    assert said(folder) == ()


def test_a_log_without_an_operator_says_nothing():
    assert vendor_log.parse((FIXTURES / "occupancy.stdout").read_text("utf-8")) == []
    assert vendor_log.parse("2026-05-31 15:28:35 [INFO]  RoofLine Summary Report:\n\n\tmemory bound\n") == []


def test_two_operators_in_one_log():
    text = (FIXTURES / "roofline" / LOG).read_text("utf-8")
    other = text.replace("sanitized_roofline_kernel", "second").replace("pipeline caused", "memory caused")
    first, second = vendor_log.parse(text + other)
    assert (first.advice, second.name) == (SAID, "second")
    assert second.advice[0] == Advice("latency bound:memory caused", "roofline")


def test_a_log_that_ends_in_the_middle():
    text = (FIXTURES / "roofline" / LOG).read_text("utf-8")
    for cut in range(0, len(text), 7):
        assert all(one.advice == SAID for one in vendor_log.parse(text[:cut]))


def test_large_and_closed_logs_are_left_alone(tmp_path, monkeypatch):
    folder = copied(tmp_path)
    monkeypatch.setattr(vendor_log, "MAX_BYTES", 100)
    assert said(folder) == ()
