"""`npuscope doctor --calibrate PROFILE` and `--calibrate-reset [CHIP]`: the HBM bandwidth this box really has."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.analysis import chips
from npuscope.analysis.basis import Basis, Calibration
from npuscope.cli import calibrations
from npuscope.cli.calibrations import CalibrationFileError
from npuscope.parsers.say import ParseError, Problem, Say, say
from npuscope.tui.text import plain, t, told

if TYPE_CHECKING:
    from npuscope.parsers.profile import Run

SCHEMA = "npuscope.calibration/1"
ALL = "all"
USAGE, NOTHING, DAMAGED = 2, 3, 4
READABLE = ("ready", "partial")


def calibrate(args: argparse.Namespace, ascii_only: bool) -> int:
    """Measure, keep and tell; 2 when it cannot be kept, 3 when nothing fits, 4 when nothing can be read."""
    path = calibrations.place()
    try:
        kept = {one.chip: one for one in calibrations.read(path)}
        found, problems = _measured(Path(args.calibrate), args.chip)
        if found:
            calibrations.write(path, {**kept, **found}.values())
    except CalibrationFileError as error:
        return _fail(str(error), ascii_only, USAGE)
    except OSError as error:
        return _fail(t("calibrate.not-kept", path=str(path), reason=error.strerror or str(error)), ascii_only, USAGE)
    for problem in problems if not found else ():
        _complain(t("report.complaint", text=told(problem.message)), ascii_only)
    if args.json:
        document = {"schema": SCHEMA, "file": str(path), "calibrations": [asdict(one) for one in found.values()]}
        print(json.dumps(document, ensure_ascii=ascii_only))
    else:
        for line in _lines(found, path):
            print(plain(line) if ascii_only else line)
    if found:
        return 0
    return DAMAGED if any(problem.code != "calibrate" for problem in problems) else NOTHING


def reset(args: argparse.Namespace, ascii_only: bool) -> int:
    """Forget one chip's figure, or all; 2 when the name or the file is none, 3 when there is nothing to forget."""
    path, word = calibrations.place(), args.calibrate_reset
    if word == ALL:
        return _forget_all(path, ascii_only)
    try:
        kept = calibrations.read(path)
        part = chips.find(word)
        name = part.name if part is not None else word
        left = [one for one in kept if one.chip != name]
        if len(left) == len(kept):
            known = ", ".join(one.chip for one in kept)
            key = "calibrate.reset.none" if not kept else "calibrate.reset.unknown"
            return _fail(t(key, chip=name, known=known), ascii_only, NOTHING)
        calibrations.write(path, left)
    except CalibrationFileError as error:
        return _fail(str(error), ascii_only, USAGE)
    except OSError as error:
        return _fail(t("calibrate.not-kept", path=str(path), reason=error.strerror or str(error)), ascii_only, USAGE)
    return _done(t("calibrate.reset.done", chip=name), ascii_only)


def _forget_all(path: Path, ascii_only: bool) -> int:
    """The file goes, so that one that cannot be read goes too."""
    try:
        path.unlink()
    except FileNotFoundError:
        return _fail(t("calibrate.reset.none"), ascii_only, NOTHING)
    except OSError as error:
        return _fail(t("calibrate.not-kept", path=str(path), reason=error.strerror or str(error)), ascii_only, USAGE)
    return _done(t("calibrate.reset.all", path=str(path)), ascii_only)


def _measured(path: Path, chip: str | None) -> tuple[dict[str, Calibration], list[Problem]]:
    """The best figure of each chip over all runs at a path, and why a run gave none."""
    from npuscope.cli.report import Outcome
    from npuscope.cli.report import found as runs_at

    outcome = Outcome()
    best: dict[str, Calibration] = {}
    problems = outcome.problems
    for run in runs_at([path], outcome):
        try:
            one = _of_run(run, chip)
        except ParseError as error:
            problems.append(error.problem)
        else:
            if isinstance(one, Say):
                problems.append(Problem("calibrate", say("calibrate.run", run=run.name, why=told(one)), None, run.path))
            elif one.chip not in best or one.gbps > best[one.chip].gbps:
                best[one.chip] = one
    return best, problems


def _of_run(run: Run, chip: str | None) -> Calibration | Say:
    """By the published peaks: what was measured before must not have a say in what is plausible."""
    from npuscope.analysis.calibration import CalibrationError
    from npuscope.analysis.calibration import calibrate as calibrated
    from npuscope.tui.opening import open_summary

    if run.state not in READABLE:
        return say("calibrate.not-ready", state=t(f"profiles.state.{run.state}"))
    try:
        return calibrated(open_summary(run, Basis(chip)), f"{date.fromtimestamp(time.time())}")
    except CalibrationError as error:
        return error.why


def _lines(found: dict[str, Calibration], path: Path) -> Iterator[str]:
    for chip, one in found.items():
        part = chips.find(chip)
        yield t("calibrate.done", chip=chip, gbps=one.gbps, calls=one.calls, source=words(one), profile=one.profile)
        if part is not None and part.hbm_gbps is not None:
            yield "  " + t("calibrate.table", gbps=part.hbm_gbps, pct=100 * one.gbps / part.hbm_gbps)
    if found:
        yield "  " + t("calibrate.kept", path=str(path))
        yield "  " + t("calibrate.used", chip=next(iter(found)))


def words(one: Calibration) -> str:
    """`Add 8192,1024;8192,1024`."""
    return f"{one.operator} {one.shapes}".strip()


def _done(line: str, ascii_only: bool) -> int:
    print(plain(line) if ascii_only else line)
    return 0


def _fail(line: str, ascii_only: bool, code: int) -> int:
    _complain(line, ascii_only)
    return code


def _complain(line: str, ascii_only: bool) -> None:
    print(plain(line) if ascii_only else line, file=sys.stderr)
