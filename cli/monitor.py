"""`npuscope [PATH...]`: the full-screen monitor."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from npuscope import __version__
from npuscope.cli import COMMANDS, options
from npuscope.parsers.archives import exists
from npuscope.tui.launch import Options, launch
from npuscope.tui.text import t


def parser() -> argparse.ArgumentParser:
    """The options of the monitor, and the other commands by name."""
    made = argparse.ArgumentParser(prog="npuscope", description=t("monitor.description"), epilog=t("monitor.epilog"))
    made.add_argument("paths", nargs="*", metavar="PATH", help=t("monitor.paths"))
    made.add_argument("--version", action="version", version=f"npuscope {__version__}")
    options.add_text_options(made)
    options.add_live_options(made)
    options.add_profile_options(made)
    options.add_screen_options(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Start the application; 2 when a path does not exist or there is no terminal."""
    ascii_only = options.apply_text_options(args)
    missing = next((path for path in args.paths if not exists(Path(path))), None)
    if missing is not None:
        key = "options.command-first" if missing in COMMANDS else "monitor.no_path"
        print(t(key, path=missing), file=sys.stderr)
        return 2
    return launch(
        Options(
            source=options.source_of(args),
            roots=tuple(Path(path) for path in args.paths) or (Path(),),
            theme=args.theme,
            ascii_only=ascii_only,
            color=args.color,
            basis=options.basis_of(args),
            cached=args.cached,
            npu_smi=options.npu_smi_command(args),
        )
    )
