"""`npuscope report`: one page about each profile, as text, JSON, Markdown or CSV. No Textual; pandas only to read."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.analysis.labels.verdict import FIRST_FINDINGS, LABELS
from npuscope.cli import options
from npuscope.cli.reporting import join, one_file
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.listing import Listing
from npuscope.parsers.discovery.runs import list_runs
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, Say, say
from npuscope.tui.text import plain, t

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary

FAILED, NOTHING, DAMAGED = 1, 3, 4
TOP = 10
GROWING = ("collecting",)  # nothing tabular is there yet


@dataclass(frozen=True)
class Looked:
    """One run and what came of it; no summary where its state or a problem did not allow one."""

    run: Run
    summary: Summary | None = None
    problems: tuple[Problem, ...] = ()


@dataclass
class Outcome:
    """What the exit code depends on."""

    seen: int = 0
    read: int = 0
    damaged: int = 0
    failed: bool = False
    problems: list[Problem] = field(default_factory=list)

    def add(self, looked: Looked, fail_on: str | None) -> None:
        """Count one run."""
        self.seen += 1
        state = looked.summary.profile.run.state if looked.summary is not None else looked.run.state
        self.damaged += state in ("damaged", "unreadable")
        self.read += looked.summary is not None and len(looked.summary.types) > 0
        self.failed |= fail_on is not None and looked.summary is not None and looked.summary.label == fail_on

    def code(self, listing: bool) -> int:
        """0 read, 1 --fail-on, 3 nothing to read, 4 what there is cannot be read."""
        if self.failed:
            return FAILED
        if self.read or (listing and self.seen):
            return 0
        unreadable = any(problem.code == "permission" for problem in self.problems)
        return DAMAGED if self.damaged or unreadable else NOTHING


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="npuscope report", description=t("report.about"))
    made.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=t("report.opt.path"))
    form = made.add_mutually_exclusive_group()
    for name in ("json", "markdown", "csv"):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=t(f"report.opt.{name}"))
    form.add_argument("--explain", metavar="LABEL[:NAME]", type=report_explained, help=t("report.opt.explain"))
    made.add_argument("--top", type=options.count, default=TOP, metavar="N", help=t("report.opt.top", top=TOP))
    made.add_argument("--ops", type=options.count, default=0, metavar="N", help=t("report.opt.ops"))
    made.add_argument("--table", metavar="NAME", help=t("files.opt.table"))
    made.add_argument("--all-findings", action="store_true", help=t("report.opt.all-findings", n=FIRST_FINDINGS))
    made.add_argument("--join", action="store_true", help=t("opprof.opt.join"))
    parsed = made.add_mutually_exclusive_group()  # a list parses nothing, so it knows no label to fail on
    parsed.add_argument("--list", action="store_true", help=t("report.opt.list"))
    parsed.add_argument(
        "--fail-on", choices=LABELS, metavar="LABEL", help=t("report.opt.fail-on", labels=", ".join(LABELS))
    )
    options.add_profile_options(made)
    options.add_text_options(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Print the report; see `Outcome.code` for what it returns."""
    ascii_only = options.apply_text_options(args)
    try:
        return _printed(args, ascii_only)
    except BrokenPipeError:
        # the reader went away, and Python would complain once more when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _printed(args: argparse.Namespace, ascii_only: bool) -> int:
    outcome = Outcome()
    paths, files = (args.paths, []) if args.join else one_file.split(args.paths, args.table)
    runs = join.one_run(paths, outcome) if args.join else found(paths, outcome)
    looked = (_listed(run) if args.list else _look(run, args) for run in runs)
    counted = _counted(looked, outcome, args.fail_on)
    tables = one_file.counted(files, args, outcome)
    if args.explain:
        return _explain(counted, outcome, args.explain, ascii_only)
    if args.form == "json":
        _write_json(args, None if files and not paths else counted, tables, outcome, ascii_only)
    else:
        if args.list and paths:
            _write_list(counted, ascii_only)
        elif paths:
            _write(args, counted, ascii_only)
        if files:
            _write_files(args, tables, bool(runs), ascii_only)
    sys.stdout.flush()
    for problem in outcome.problems:
        _complain(problem, ascii_only)
    return outcome.code(args.list)


def report_explained(word: str) -> tuple[str, str]:
    """LABEL or LABEL:NAME."""
    from npuscope.cli.reporting.explain import asked

    return asked(word)


def _explain(looked: Iterator[Looked], outcome: Outcome, asked: tuple[str, str], ascii_only: bool) -> int:
    """Why the longest row of that label has it, in each run; 3 where no run has one."""
    from npuscope.cli.reporting import explain

    found = False
    for number, one in enumerate(looked):
        if number:
            print()
        for line in explain.lines(one, *asked):
            print(plain(line) if ascii_only else line)
        found = found or explain.has(one, *asked)
    sys.stdout.flush()
    for problem in outcome.problems:
        _complain(problem, ascii_only)
    return outcome.code(False) if found or not outcome.read else NOTHING


def _write_json(
    args: argparse.Namespace,
    looked: Iterator[Looked] | None,
    tables: Iterator[one_file.FileLooked],
    outcome: Outcome,
    ascii_only: bool,
) -> None:
    """The runs, with the files that were given beside them; files alone have a document of their own."""
    from npuscope.cli.reporting import as_json, one_file_json

    if looked is None:
        one_file_json.write(sys.stdout, args, tables, outcome.problems, ascii_only)
        return
    documents = (one_file_json.document(one, args.top) for one in tables)
    as_json.write(sys.stdout, args, looked, outcome.problems, ascii_only, documents)


def _write_files(
    args: argparse.Namespace, tables: Iterator[one_file.FileLooked], after_runs: bool, ascii_only: bool
) -> None:
    from npuscope.cli.reporting import one_file_pages

    lines = {"markdown": one_file_pages.markdown, "csv": one_file_pages.csv}.get(args.form or "", one_file_pages.lines)
    if after_runs:
        print()
    for line in lines(tables, args.top):
        print(plain(line) if ascii_only else line)


def _write(args: argparse.Namespace, looked: Iterator[Looked], ascii_only: bool) -> None:
    if args.form == "markdown":
        from npuscope.cli.reporting.as_markdown import lines
    elif args.form == "csv":
        from npuscope.cli.reporting.as_csv import lines
    else:
        from npuscope.cli.reporting.as_text import lines
    findings = None if args.all_findings else FIRST_FINDINGS
    for line in lines(looked, args.top, args.ops, findings):
        print(plain(line) if ascii_only else line)


def _write_list(looked: Iterator[Looked], ascii_only: bool) -> None:
    from npuscope.cli.reporting.as_text import listing

    for line in listing(looked):
        print(plain(line) if ascii_only else line)


def found(paths: Sequence[Path], outcome: Outcome) -> list[Run]:
    """The runs at all paths; a path without one leaves a problem."""
    runs: dict[str, Run] = {}
    for path in paths:
        reason = unreachable(path)
        here = Listing() if reason is not None else list_runs(path, time.time())
        runs.update({run.path: run for run in here.runs})
        outcome.problems += here.problems
        if reason is not None:
            outcome.problems.append(reason)
        elif not here.runs:
            outcome.problems.append(Problem("no-profile", *_no_profile(path), str(path)))
    return list(runs.values())


def unreachable(path: Path) -> Problem | None:
    """Why nothing can be looked for at a path: it is not there, or closed to this user."""
    if inside(str(path)) is not None:
        return None
    try:
        path.stat()
        if path.is_dir():
            next(path.iterdir(), None)
    except PermissionError:
        return Problem("permission", say("report.permission", path=str(path)), say("report.permission.hint"), str(path))
    except OSError as error:
        reason = error.strerror or str(error)
        return Problem("not-found", say("report.not-found", path=str(path), reason=reason), None, str(path))
    return None


def _no_profile(path: Path) -> tuple[Say, Say]:
    """What a path without a run is, and what to do: a cluster's table is read by another command."""
    from npuscope.parsers.msprof.tables.step_trace_time import cluster_table

    kind = "file" if path.is_file() else "folder"
    what = say(f"report.no-profile.{kind}", path=str(path))
    if cluster_table(path) is not None:
        return what, say("report.no-profile.ranks", path=shlex.quote(str(path)))
    return what, say("report.no-profile.hint")


def _listed(run: Run) -> Looked:
    return Looked(run, None, run.problems)


def _look(run: Run, args: argparse.Namespace) -> Looked:
    """Read and look at one run."""
    if run.state in GROWING:
        return Looked(run, None, run.problems)
    from npuscope.tui.opening import open_summary, usual_cache

    try:
        summary = open_summary(run, options.basis_of(args), usual_cache(args.cached))
    except ParseError as error:
        known = tuple(problem for problem in run.problems if problem != error.problem)
        return Looked(join.refused(run, error.problem), None, (*known, error.problem))
    profile = summary.profile
    return Looked(profile.run, summary, (*profile.problems, *summary.problems))


def _counted(looked: Iterator[Looked], outcome: Outcome, fail_on: str | None) -> Iterator[Looked]:
    for one in looked:
        outcome.add(one, fail_on)
        yield one


def _complain(problem: Problem, ascii_only: bool) -> None:
    from npuscope.cli.printing.problemwords import problem_words

    line = t("report.complaint", text=problem_words(problem))
    print(plain(line) if ascii_only else line, file=sys.stderr)
