"""`npuscope snapshot`: one live reading, or some, as text or JSON. Starts fast: neither pandas nor Textual."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from npuscope.analysis.live.hints import Hint, hints
from npuscope.analysis.live.history import History
from npuscope.cli import options, snapshot_text
from npuscope.parsers.reading_json import to_json
from npuscope.parsers.readings import Reading, SourceInfo
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.sources.npu_smi import DEADLINE_S, SETTLE_S, Poller, next_tick
from npuscope.sources.profiling import profiling_now
from npuscope.tui.live.merge import without_profiled
from npuscope.tui.text import t, told

NOTHING, DAMAGED = 3, 4


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="npuscope snapshot", description=t("smi.about"))
    made.add_argument("--json", action="store_true", help=t("smi.opt-json"))
    made.add_argument("--watch", type=options.count, default=1, metavar="N", help=t("smi.opt-watch"))
    options.add_live_options(made)
    options.add_text_options(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Print the readings; 0, or 3 when none had a chip, 4 when a recording is damaged."""
    ascii_only = options.apply_text_options(args)
    try:
        with Leave() as leave:
            return _print_all(args, ascii_only, leave)
    except BrokenPipeError:
        # the reader went away, and Python would complain once more when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _print_all(args: argparse.Namespace, ascii_only: bool, leave: Leave) -> int:
    history, code = History(), NOTHING
    kind, file = args.source
    shown, machine = 0, "" if kind == "replay" else socket.gethostname()  # a recording does not tell its box
    for reading, wanted in _recorded(file, args.watch) if kind == "replay" else _live(args, leave):
        profiling = kind != "replay" and bool(reading.chips) and profiling_now(Path(), time.time())
        known = without_profiled(reading, profiling)
        history.append(known)
        if not wanted:
            continue
        _print(known, hints(history, profiling), args.json, ascii_only, shown, machine)
        shown += 1
        code = 0 if reading.chips or code == 0 else _code_of(reading)
    return code


def _code_of(reading: Reading) -> int:
    return DAMAGED if any(problem.code in ("unreadable", "damaged") for problem in reading.problems) else NOTHING


def _print(
    reading: Reading, found: tuple[Hint, ...], as_json: bool, ascii_only: bool, before: int, machine: str
) -> None:
    if as_json:
        print(json.dumps(to_json(reading, found, told), ensure_ascii=ascii_only, allow_nan=False))
    else:
        if before:
            print()
        for line in snapshot_text.lines(reading, found, machine):
            print(snapshot_text.spelled(line, ascii_only))
    sys.stdout.flush()
    if not as_json:
        for line in snapshot_text.problems(reading):
            print(snapshot_text.spelled(line, ascii_only), file=sys.stderr)


def _live(args: argparse.Namespace, leave: Leave) -> Iterator[tuple[Reading, bool]]:
    poller = Poller(options.npu_smi_command(args), DEADLINE_S)
    tick = before = time.monotonic()
    for number in range(args.watch):
        time.sleep(max(0.0, tick - time.monotonic()))
        started = time.monotonic()
        reading = leave.after(poller, 0.0 if number else SETTLE_S)
        yield replace(reading, period_s=started - before) if number else reading, True
        before = started
        tick = next_tick(tick, args.interval, time.monotonic())


def _recorded(file: str, count: int) -> Iterator[tuple[Reading, bool]]:
    """All readings of a recording; only the last `count` are wanted, but hints need those before."""
    from npuscope.sources.recording import read_recording

    try:
        readings = read_recording(file)
    except ParseError as error:
        yield _failed(file, error.problem), True
        return
    except OSError as error:
        problem = Problem("not-found", say("recording.no-file", file=file, reason=error.strerror or str(error)))
        yield _failed(file, problem), True
        return
    for number, reading in enumerate(readings):
        yield reading, number >= len(readings) - count


def _failed(file: str, problem: Problem) -> Reading:
    return Reading(time.time(), 0.0, SourceInfo("replay", file, ok=False), problems=(problem,))


class Leave:
    """Ends the command on Ctrl-C, SIGTERM and SIGHUP: at once, but never between starting npu-smi and ending it."""

    def __init__(self) -> None:
        self._asked: int | None = None
        self._reading = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Leave:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if not self._reading or self._asked is not None:
            raise SystemExit(128 + number)
        self._asked = number

    def after(self, poller: Poller, settle_s: float) -> Reading:
        """The poller's reading, or the end that was asked for meanwhile."""
        self._reading = True
        reading = poller.read(lambda: self._asked is not None, settle_s)
        self._reading = False
        if self._asked is not None:
            raise SystemExit(128 + self._asked)
        return reading
