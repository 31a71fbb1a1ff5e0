"""The `npuscope` command: one module per command, imported only when it is the one that was asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

COMMANDS = ("demo", "snapshot", "report", "ranks", "doctor")
MONITOR = "monitor"
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named first, or the full-screen monitor; returns the exit code.

    Each module in COMMANDS has `parser() -> ArgumentParser` and `run(args) -> int`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    name = words.pop(0) if words and words[0] in COMMANDS else MONITOR
    try:
        module = importlib.import_module(f"npuscope.cli.{name}")
        code: int = module.run(module.parser().parse_args(words))
    except KeyboardInterrupt:
        return INTERRUPTED
    return code
