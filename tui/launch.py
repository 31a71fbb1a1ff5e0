"""Starting the full-screen application, or saying in one line why it cannot start here."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.analysis.basis import Basis
from npuscope.tui import theming
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.sources.source import Source

USAGE = 2


@dataclass(frozen=True)
class Options:
    """What the command line decided for the screens."""

    source: Source | None = None
    roots: Sequence[Path] = field(default_factory=lambda: (Path(),))
    theme: str | None = None
    ascii_only: bool = False
    color: str = "auto"
    basis: Basis = field(default_factory=Basis)
    cached: bool = True
    demo: bool = False
    npu_smi: str = "npu-smi"


def refusal(environ: Mapping[str, str], stdin_tty: bool, stdout_tty: bool) -> str | None:
    """Why no full screen can be shown, or None."""
    if not (stdin_tty and stdout_tty):
        return t("ui.no_terminal")
    if environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
        return t("ui.dumb_terminal", term=environ.get("TERM", ""))
    return None


def launch(options: Options) -> int:
    """Run the application until the person quits; returns the exit code."""
    reason = refusal(os.environ, sys.stdin.isatty(), sys.stdout.isatty())
    if reason:
        print(reason, file=sys.stderr)
        return USAGE
    if options.color == "never":
        os.environ["NO_COLOR"] = "1"
    elif options.color == "always":
        os.environ.pop("NO_COLOR", None)
    try:
        look = theming.look(options.theme or theming.default_name(os.environ, color_system()), options.ascii_only)
    except theming.ThemeError as error:
        print(error, file=sys.stderr)
        return USAGE
    from npuscope.tui.app import NpuscopeApp

    app = NpuscopeApp(options, look)
    app.run()
    return 1 if app.failed else 0


def color_system() -> str | None:
    """The colours this terminal takes: None, standard (16), 256 or truecolor."""
    from rich.console import Console

    return Console(force_terminal=True).color_system
