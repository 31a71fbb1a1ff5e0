"""`npuscope demo`: the full screen on a simulated box; `--once` prints what it would show and ends."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from npuscope.analysis.live.hints import hints
from npuscope.analysis.live.history import History
from npuscope.cli import options, snapshot_text
from npuscope.demo.play import DemoBox, recorded_source
from npuscope.tui.text import t

SLOWEST, FASTEST = 0.1, 100.0
MOMENT_S = 153.0  # 14 s into that stall, with a chip that spins at idle power beside it
REPORTED = ("DEMONORMBEFORE", "DEMONORMAFTER", "DEMOSTEPAFTER")
NOTHING = 3


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="npuscope demo", description=t("demo.about"))
    made.add_argument("--once", action="store_true", help=t("demo.opt-once"))
    made.add_argument("--speed", type=speed, default=1.0, metavar="X", help=t("demo.opt-speed"))
    options.add_text_options(made)
    options.add_screen_options(made)
    return made


def speed(word: str) -> float:
    """How many times faster than it was the demo runs."""
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not SLOWEST <= value <= FASTEST:
        raise argparse.ArgumentTypeError(t("demo.bad-speed", word=word, least=SLOWEST, most=FASTEST))
    return value


def run(args: argparse.Namespace) -> int:
    """Play the demo until the person quits, or print it; 2 without a terminal, 3 without a place for its files."""
    ascii_only = options.apply_text_options(args)
    try:
        box = DemoBox(args.speed)
    except OSError as error:
        print(t("demo.no-folder", reason=error.strerror or str(error)), file=sys.stderr)
        return NOTHING
    with _removed(box):
        return _once(args, box, ascii_only) if args.once else _play(args, box, ascii_only)


@contextmanager
def _removed(box: DemoBox) -> Iterator[None]:
    """Remove the box at the end, and when a closed SSH session ends the program."""

    def leave(number: int, _: object) -> None:
        box.stop()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        box.stop()
        for number, handler in before.items():
            signal.signal(number, handler)


def _play(args: argparse.Namespace, box: DemoBox, ascii_only: bool) -> int:
    from npuscope.tui.launch import Options, launch

    box.start()
    return launch(
        Options(
            source=recorded_source(args.speed),
            roots=(box.folder,),
            theme=args.theme,
            ascii_only=ascii_only,
            color=args.color,
            cached=False,
            demo=True,
        )
    )


def _once(args: argparse.Namespace, box: DemoBox, ascii_only: bool) -> int:
    """Three pages as text: the chips, the list of profiles, the reports worth reading first."""
    from npuscope.cli import report

    box.fill(time.time() - 1.0, unfinished=1)
    for line in _live():
        print(snapshot_text.spelled(line, ascii_only))
    said = ["--lang", args.lang] if args.lang else []
    said += ["--ascii"] if ascii_only else []
    said += ["--color", args.color]
    paths = sorted(path for path in box.folder.iterdir() if any(word in path.name for word in REPORTED))
    for words in ([str(box.folder), "--list"], *([str(path)] for path in paths)):
        print()
        sys.stdout.flush()
        code = report.run(report.parser().parse_args([*words, *said]))
        if code:
            return code
    return 0


def _live() -> Iterator[str]:
    """The chips at a moment worth a look."""
    yield t("demo.once")
    yield ""
    history = History()
    for reading in recorded_source(lead_s=MOMENT_S).lead():
        history.append(reading)
    if history.latest is not None:
        yield from snapshot_text.lines(history.latest, hints(history))
