"""The `npuscope` command: one module per command, imported only when it is the one that was asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

COMMANDS = ("demo", "snapshot", "report", "ranks", "doctor")
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
        return _run(name, words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(name: str, words: list[str]) -> int:
    from npuscope.cli import config

    module = importlib.import_module(f"npuscope.cli.{name}")
    parser = module.parser()
    try:
        config.apply(parser, words)
    except config.ConfigError as error:
        print(error, file=sys.stderr)
        return USAGE
    code: int = module.run(parser.parse_args(words))
    return code
