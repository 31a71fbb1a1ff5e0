"""`npuscope ranks`: which rank of a job is late and why, one line a rank. No Textual; pandas only to read."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.analysis.ranks.against import RankOperators, against, peers
from npuscope.analysis.ranks.compare import RankTable, compare
from npuscope.analysis.ranks.jobs import APART_S, Job, jobs
from npuscope.analysis.ranks.lateness import COMPUTE
from npuscope.analysis.ranks.times import RankTimes, read_cluster, read_rank
from npuscope.cli import options
from npuscope.cli.report import DAMAGED, NOTHING, unreachable
from npuscope.parsers.discovery.runs import find_runs, list_runs
from npuscope.parsers.msprof.rank_info import read_rank_info
from npuscope.parsers.msprof.tables.step_trace_time import cluster_table
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.tui.text import plain, t

TOP = 5


@dataclass(frozen=True)
class Compared:
    """What was found at the paths: the ranks set against each other, and the operators of the late one."""

    paths: tuple[str, ...]
    table: RankTable
    operators: RankOperators | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def late(self) -> RankTimes | None:
        """The rank whose operators were looked at."""
        return self.table.verdict.late[0].times if self.table.verdict.late else None

    def code(self) -> int:
        """0 when any rank has times, 3 nothing to read, 4 what there is cannot be read."""
        if self.table.used:
            return 0
        states = [line.times.state for line in self.table.lines]
        closed = any(problem.code == "permission" for problem in self.problems)
        damaged = states and all(state in ("damaged", "unreadable") for state in states)
        return DAMAGED if damaged or closed else NOTHING


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="npuscope ranks", description=t("ranks.about"))
    made.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=t("ranks.opt.path"))
    form = made.add_mutually_exclusive_group()
    for name in ("json", "markdown"):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=t(f"report.opt.{name}"))
    made.add_argument("--top", type=options.count, default=TOP, metavar="N", help=t("ranks.opt.top", top=TOP))
    options.add_text_options(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Print the ranks; see `Compared.code` for what it returns."""
    ascii_only = options.apply_text_options(args)
    found = look(args.paths, Progress())
    try:
        _print(found, args, ascii_only)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader went away, and Python would complain once more when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return found.code()


def _print(found: Compared, args: argparse.Namespace, ascii_only: bool) -> None:
    from npuscope.cli import ranks_text

    if args.form == "json":
        from npuscope.cli.ranks_json import write

        write(sys.stdout, found, args.top, ascii_only)
        return
    if not found.table.lines:
        for problem in found.problems:
            line = ranks_text.complaint(problem)
            print(plain(line) if ascii_only else line, file=sys.stderr)
        return
    for line in (ranks_text.markdown if args.form == "markdown" else ranks_text.lines)(found, args.top):
        print(plain(line) if ascii_only else line)


class Progress:
    """How far the reading is, on a terminal's stderr only: files on a network may take a while."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, done: int, of: int) -> None:
        if sys.stderr.isatty():
            print("\r" + t("ranks.progress", done=done, of=of), end="", file=sys.stderr, flush=True)
            self._shown = True

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = False


def look(paths: Iterable[Path], progress: Progress) -> Compared:
    """Find the ranks at the paths, read them, and set them against each other."""
    paths = tuple(paths)
    times, problems = _times(paths, progress)
    table = compare(times)
    operators = None
    late = table.verdict.late[0] if table.verdict.kind == COMPUTE else None
    if late is not None and late.times.run.kind != "csv":
        others = [one.run for one in peers(late.times, [line.times for line in table.lines])]
        operators = against(late.times.run, others, late.late_by_pct)
    progress.end()
    return Compared(tuple(map(str, paths)), table, operators, problems)


def _times(paths: Sequence[Path], progress: Progress) -> tuple[list[RankTimes], tuple[Problem, ...]]:
    runs: dict[str, Run] = {}
    problems: list[Problem] = []
    for path in paths:
        why = unreachable(path)
        if why is not None:
            problems.append(why)
            continue
        cluster = _cluster_table(path)
        if cluster is not None:
            try:
                return list(read_cluster(str(cluster))), tuple(problems)
            except ParseError as error:
                problems.append(error.problem)
                continue
        here = list_runs(path, time.time())
        runs.update({run.path: run for run in here.runs})
        problems += here.problems
        if not here.runs:
            problems.append(Problem("no-profile", say("ranks.no-runs", path=str(path)), None, str(path)))
    chosen, more = choose([_ranked(run) for run in runs.values()])
    found: list[RankTimes] = []
    for at, run in enumerate(chosen):
        progress(at, len(chosen))
        found += read_rank(run)
    return _one_a_device(*_own_ranks(found, [*problems, *more]))


def _own_ranks(found: list[RankTimes], problems: list[Problem]) -> tuple[list[RankTimes], list[Problem]]:
    """Runs side by side that all call themselves the same rank: each on a device of its own, none knows its rank; else
    they are copies, and the first of them counts."""
    paths = {one.run.path for one in found}
    rank = found[0].rank if found else None
    if len(paths) < 2 or rank is None or any(one.rank != rank for one in found):
        return found, problems
    if len({one.device for one in found} - {None}) == len(found):
        text = say("ranks.problem.equal-ranks", n=len(found), rank=rank)
        problems.append(Problem("equal-ranks", text))
        return [dataclasses.replace(one, rank=None) for one in found], problems
    problems += [_again(path, rank) for path in sorted(paths - {found[0].run.path})]
    return [one for one in found if one.run.path == found[0].run.path], problems


def _again(path: str, rank: int | None) -> Problem:
    return Problem("duplicate-rank", say("ranks.problem.duplicate", path=path, rank=rank))


def _one_a_device(found: list[RankTimes], problems: list[Problem]) -> tuple[list[RankTimes], tuple[Problem, ...]]:
    """Of runs that tell no rank the newest of each device: two of one device did not run side by side."""
    kept: list[RankTimes] = []
    for times in found:
        if times.rank is None and any(one.rank is None and one.device == times.device for one in kept):
            path = times.run.path
            problems.append(Problem("same-device", say("ranks.problem.same-device", path=path), None, path))
        else:
            kept.append(times)
    return kept, tuple(problems)


def _cluster_table(path: Path) -> Path | None:
    """A cluster table, when it is what the path names, or all that lies there."""
    table = cluster_table(path)
    return None if table is None or (table != path and find_runs(path, time.time())) else table


def _ranked(run: Run) -> Run:
    """The run with its rank, wherever that is written."""
    rank = read_rank_info(run).rank
    return run if rank == run.rank else dataclasses.replace(run, rank=rank)


def choose(runs: Sequence[Run]) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """The runs of the newest job of all that were found; what began with it and tells no rank belongs to it."""
    if not runs:
        return (), ()
    found = jobs(runs, anywhere=True)
    newest = found[0] if found else _alone(runs)
    unknown = [run for run in runs if run.rank is None and run not in newest.runs and _together(run, newest)]
    problems = []
    if len(found) > 1:
        text = say("ranks.problem.other-jobs", n=len(found) - 1, path=found[1].folder)
        problems.append(Problem("other-jobs", text))
    taken = {run.path for run in newest.runs}
    again = [
        run
        for run in runs
        if run.rank in newest.ranks and run.path not in taken and not any(run in job.runs for job in found)
    ]
    problems += [_again(run.path, run.rank) for run in again]
    nameless = len(unknown) + sum(run.rank is None for run in newest.runs)
    if nameless:
        problems.append(Problem("unknown-rank", say("ranks.problem.unknown-rank", n=nameless)))
    return (*newest.runs, *unknown), tuple(problems)


def _alone(runs: Sequence[Run]) -> Job:
    """Without two different ranks: the newest run, and those that began with it and call themselves the same rank."""
    newest = max(runs, key=lambda run: run.started_at or run.changed_at)
    alike = (run for run in runs if run.rank is not None and run.rank == newest.rank and run is not newest)
    return Job((newest, *(run for run in alike if _together(run, Job((newest,))))))


def _together(run: Run, job: Job) -> bool:
    """Whether a run of unknown rank began with the job."""
    first = job.runs[0]
    if run.kind != first.kind:
        return False
    if run.started_at is None or not job.started_at:
        return Path(run.path).parent == Path(first.path).parent and run.started_at == first.started_at
    return abs(run.started_at - job.started_at) <= APART_S
