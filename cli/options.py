"""Options that several commands share: how text is spelled, and where live readings come from."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from npuscope.tui import text
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.analysis.basis import Basis
    from npuscope.sources.source import Source

INTERVAL_S = 1.0
SHORTEST_S, LONGEST_S = 0.1, 3600.0
COMMAND_VARIABLE = "NPUSCOPE_NPU_SMI"
COMMAND = "npu-smi"


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """--lang, --ascii, --color: for every command that prints."""
    parser.add_argument("--lang", choices=text.LANGUAGES, help=t("options.lang"))
    parser.add_argument("--ascii", action="store_true", help=t("options.ascii"))
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=t("options.color"))


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """--npu-smi, --source, --interval: for every command that reads chips."""
    parser.add_argument("--npu-smi", metavar="CMD", help=t("options.npu-smi"))
    parser.add_argument("--source", type=source, default=("npu-smi", None), metavar="SOURCE", help=t("options.source"))
    parser.add_argument("--interval", type=seconds, default=INTERVAL_S, metavar="S", help=t("options.interval"))


def add_profile_options(parser: argparse.ArgumentParser) -> None:
    """--chip, --hbm-gbps, --trace, --no-cache: for every command that looks at profiles."""
    parser.add_argument("--chip", metavar="NAME", type=chip, help=t("options.chip"))
    parser.add_argument("--hbm-gbps", metavar="X", type=bandwidth, help=t("options.hbm-gbps"))
    parser.add_argument("--trace", action="store_true", help=t("options.trace"))
    parser.add_argument("--no-cache", dest="cached", action="store_false", help=t("options.no-cache"))
    parser.set_defaults(limits=(), calibrations=(), configured={}, config_file=None)


def basis_of(args: argparse.Namespace) -> Basis:
    """What profiles are judged by: the options, the settings' thresholds, and what was measured on this box."""
    from npuscope.analysis.basis import Basis

    return Basis(args.chip, args.hbm_gbps, args.limits, args.calibrations, args.trace)


def add_screen_options(parser: argparse.ArgumentParser) -> None:
    """--theme: for the full-screen commands."""
    parser.add_argument("--theme", metavar="NAME", type=theme, help=t("options.theme"))


def apply_text_options(args: argparse.Namespace, environ: Mapping[str, str] | None = None) -> bool:
    """Set the language and the spelling of everything said from here on; True when it must be ASCII.

    Someone who asks for Chinese gets it although the locale promises nothing; else a locale without UTF-8 gets English.
    """
    environ = own_environment() if environ is None else environ
    asked: str | None = args.lang
    ascii_only = args.ascii or (asked != "zh" and text.wants_ascii(environ))
    text.set_language("en" if ascii_only else asked or text.language_of(environ), ascii_only)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    return bool(ascii_only)


def own_environment() -> Mapping[str, str]:
    """The environment as the person gave it: under LANG=C Python itself adds LC_CTYPE=C.UTF-8 before anything runs."""
    coerced = os.environ.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8")
    try:
        given = Path("/proc/self/environ").read_bytes() if coerced else b""
    except OSError:
        given = b""
    if given and not any(entry.startswith(b"LC_CTYPE=") for entry in given.split(b"\0")):
        return {name: value for name, value in os.environ.items() if name != "LC_CTYPE"}
    return os.environ


def wants_color(args: argparse.Namespace, stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Whether colour codes may be written to `stream`; NO_COLOR counts unless --color says otherwise."""
    environ = os.environ if environ is None else environ
    if args.color != "auto":
        return bool(args.color == "always")
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def npu_smi_command(args: argparse.Namespace, environ: Mapping[str, str] | None = None) -> str:
    """What to run instead of `npu-smi`: the option, else the environment, else npu-smi itself."""
    environ = os.environ if environ is None else environ
    return args.npu_smi or environ.get(COMMAND_VARIABLE) or COMMAND


def source_of(args: argparse.Namespace) -> Source:
    """The live source the options name, not started yet."""
    kind, rest = args.source
    if kind == "replay":
        from npuscope.sources.recording import RecordingSource

        return RecordingSource(Path(rest))
    from npuscope.sources.later import LaterSource

    return LaterSource(lambda: _npu_smi(npu_smi_command(args), args.interval))


def _npu_smi(command: str, interval_s: float) -> Source:
    from npuscope.sources.npu_smi import NpuSmiSource

    return NpuSmiSource(command, interval_s)


def chip(word: str) -> str:
    """The name of a part that is in the chips table."""
    from npuscope.analysis import chips

    if chips.find(word) is None:
        raise argparse.ArgumentTypeError(t("options.bad-chip", word=word, names=", ".join(chips.names())))
    return word


def bandwidth(word: str) -> float:
    """A bandwidth in 10^9 bytes/s."""
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 1.0 <= value <= 100_000.0:
        raise argparse.ArgumentTypeError(t("options.bad-bandwidth", word=word))
    return value


def theme(word: str) -> str:
    """The name of a theme there is."""
    from npuscope.tui import theming

    if word not in theming.names():
        raise argparse.ArgumentTypeError(t("options.bad-theme", word=word, names=", ".join(theming.names())))
    return word


def seconds(word: str) -> float:
    """A number of seconds of the command line."""
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not SHORTEST_S <= value <= LONGEST_S:
        raise argparse.ArgumentTypeError(t("options.bad-seconds", word=word, least=SHORTEST_S, most=LONGEST_S))
    return value


def count(word: str) -> int:
    """A whole number of one or more."""
    if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0):
        raise argparse.ArgumentTypeError(t("options.bad-count", word=word))
    return int(word)


def source(word: str) -> tuple[str, str | None]:
    """`npu-smi` or `replay:FILE`, as (kind, file)."""
    kind, _, rest = word.partition(":")
    if kind == "npu-smi" and not rest:
        return kind, None
    if kind == "replay" and rest:
        return kind, rest
    raise argparse.ArgumentTypeError(t("options.bad-source", word=word))
