"""The `npuscope` command: one module per command, imported only when it is the one that was asked for."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Sequence

DOCTOR = "doctor"
COMMANDS = ("demo", "snapshot", "report", "ranks", DOCTOR)
MONITOR = "monitor"
USAGE = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named first, or the full-screen monitor; returns the exit code.

    Each module in COMMANDS has `parser() -> ArgumentParser` and `run(args) -> int`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    name = words.pop(0) if words and words[0] in COMMANDS else MONITOR
    try:
        if name != MONITOR:
            _end_in_order()
        return _run(name, words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _end_in_order() -> None:
    """What was unpacked goes too when the connection is dropped or the system ends the command."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(ValueError):  # only the main thread may listen to signals
            if signal.getsignal(ending) is signal.SIG_DFL:  # under nohup it goes on
                signal.signal(ending, lambda number, frame: sys.exit(INTERRUPTED - signal.SIGINT + number))


def _run(name: str, words: list[str]) -> int:
    from npuscope.cli import config

    module = importlib.import_module(f"npuscope.cli.{name}")
    parser = module.parser()
    try:
        config.apply(parser, words)
    except config.ConfigError as error:
        if name != DOCTOR:  # it tells the error among what it finds
            print(error, file=sys.stderr)
            return USAGE
    code: int = module.run(parser.parse_args(words))
    return code
