"""`npuscope doctor`: what this box has, what each feature will use or lacks, and the command that mends it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope import __version__
from npuscope.cli import config, doctor_checks, options
from npuscope.cli.doctor_checks import LACKS, NOTE, OK, Check, Terminal
from npuscope.parsers.say import say
from npuscope.sources.npu_smi import command_line, read_once
from npuscope.tui import text
from npuscope.tui.text import has, t, told
from npuscope.tui.wrapping import wrap

SCHEMA = "npuscope.doctor/1"
AREAS = ("program", "screen", "live", "profiles", "folder")
MARKS = {OK: "ok", NOTE: "-", LACKS: "!"}
NAME_X, TEXT_X, WIDEST = 6, 19, 110
DEADLINE_S = 10.0
LOCALE_VARIABLES = ("LC_ALL", "LC_CTYPE", "LANG")


@dataclass(frozen=True)
class Setting:
    """One setting: its value, and the option, variable or default it comes from."""

    name: str
    value: str
    origin: str


def parser() -> argparse.ArgumentParser:
    """The command's options: its own, and those whose origin it tells."""
    made = argparse.ArgumentParser(prog="npuscope doctor", description=t("doctor.about"))
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help=t("doctor.opt-path"))
    made.add_argument("--json", action="store_true", help=t("doctor.opt-json"))
    instead = made.add_mutually_exclusive_group()
    instead.add_argument("--calibrate", metavar="PROFILE", help=t("doctor.opt-calibrate"))
    instead.add_argument("--calibrate-reset", metavar="CHIP", nargs="?", const="all", help=t("doctor.opt-reset"))
    instead.add_argument("--thresholds", action="store_true", help=t("doctor.opt-thresholds"))
    options.add_live_options(made)
    options.add_profile_options(made)
    options.add_screen_options(made)
    options.add_text_options(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Look at everything and tell it (always 0), or do the one thing that was asked for instead."""
    ascii_only = options.apply_text_options(args)
    try:
        code = _run(args, ascii_only)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader went away, and Python would complain once more when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(args: argparse.Namespace, ascii_only: bool) -> int:
    broken = settings_error(args)
    if broken is not None and (args.thresholds or args.calibrate):
        print(text.plain(broken) if ascii_only else broken, file=sys.stderr)
        return 2
    if args.thresholds:
        from npuscope.cli.doctor_thresholds import show

        return show(args, ascii_only)
    if args.calibrate or args.calibrate_reset:
        from npuscope.cli import doctor_calibrate

        return (doctor_calibrate.calibrate if args.calibrate else doctor_calibrate.reset)(args, ascii_only)
    checks = [*_settings_check(broken), *examine(args, os.environ, ascii_only)]
    settings = settings_of(args, os.environ, ascii_only)
    page = "\n".join(lines(checks, settings, page_width()))
    print(json.dumps(document(checks, settings), ensure_ascii=ascii_only) if args.json else page)
    return 0


def settings_error(args: argparse.Namespace) -> str | None:
    """Why the file of settings cannot be used, as the other commands say it; None where it can."""
    try:
        config.apply(parser(), ["--config", args.config] if getattr(args, "config", None) else [])
    except config.ConfigError as error:
        return str(error)
    return None


def _settings_check(broken: str | None) -> list[Check]:
    if broken is None:
        return []
    return [Check("program", "config", LACKS, say("doctor.config", reason=broken), say("doctor.do.config"))]


def examine(
    args: argparse.Namespace, environ: Mapping[str, str], ascii_only: bool, root: Path = Path("/")
) -> list[Check]:
    """All checks, in their order."""
    command = options.npu_smi_command(args, environ)
    return [
        *doctor_checks.program(),
        *doctor_checks.screen(terminal_of(environ, ascii_only)),
        *doctor_checks.live(read_once(command, DEADLINE_S, settle_s=0.0), program_of(command), root),
        *doctor_checks.profiles(environ, root),
        *doctor_checks.folder(Path(args.path), root),
    ]


def program_of(command: str) -> str | None:
    """Where the program of a command is."""
    try:
        words = command_line(command)
    except ValueError:
        return None
    return words[0] if words else None


def terminal_of(environ: Mapping[str, str], ascii_only: bool) -> Terminal:
    """The terminal as the environment and the output tell."""
    size = shutil.get_terminal_size() if sys.stdout.isatty() else None
    name = environ.get("TERM", "")
    return Terminal(
        name=name,
        columns=size.columns if size else None,
        rows=size.lines if size else None,
        colors=colors_of(environ),
        ascii_only=ascii_only,
        locale=next((environ[variable] for variable in LOCALE_VARIABLES if environ.get(variable)), ""),
    )


def colors_of(environ: Mapping[str, str]) -> str | None:
    """truecolor, 256 or standard, by what terminals say of themselves; None: no colours."""
    name = environ.get("TERM", "")
    if environ.get("NO_COLOR") or name in ("", "dumb", "unknown"):
        return None
    if environ.get("COLORTERM", "").casefold() in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256color" in name else "standard"


def settings_of(args: argparse.Namespace, environ: Mapping[str, str], ascii_only: bool) -> list[Setting]:
    """Every setting with its origin: options beat the environment, the environment beats defaults."""
    locale = next((variable for variable in LOCALE_VARIABLES if environ.get(variable)), None)
    command = options.COMMAND_VARIABLE if environ.get(options.COMMAND_VARIABLE) else None
    no_color = "NO_COLOR" if environ.get("NO_COLOR") else None
    language = "en" if ascii_only else args.lang or text.language_of(environ)
    source = args.source[0] if args.source[1] is None else ":".join(args.source)

    def origin(name: str, option: object, variable: str | None = None) -> str:
        if option and getattr(args, name, None) == args.configured.get(name):
            return str(args.config_file)
        return "option" if option else variable or "default"

    hbm = f"{args.hbm_gbps:g}" if args.hbm_gbps else t("doctor.from_chip")
    return [
        *_config(args),
        Setting("npu-smi", options.npu_smi_command(args, environ), origin("npu_smi", args.npu_smi, command)),
        Setting("source", source, origin("source", source != "npu-smi")),
        Setting("interval", f"{args.interval:g} s", origin("interval", args.interval != options.INTERVAL_S)),
        Setting("lang", language, origin("lang", args.lang, locale)),
        Setting("ascii", t("doctor.yes" if ascii_only else "doctor.no"), origin("ascii", args.ascii, locale)),
        Setting("color", args.color, origin("color", args.color != "auto", no_color)),
        Setting("theme", args.theme or theme_of(environ), origin("theme", args.theme, no_color or "TERM")),
        Setting("chip", args.chip or t("doctor.from_profile"), origin("chip", args.chip)),
        Setting("hbm-gbps", hbm, origin("hbm_gbps", args.hbm_gbps)),
        *_thresholds(args),
    ]


def _config(args: argparse.Namespace) -> list[Setting]:
    """The file that settings come from, there or not."""
    if not args.config_file:
        return []
    return [Setting("config", args.config_file, "read" if Path(args.config_file).exists() else "absent")]


def _thresholds(args: argparse.Namespace) -> list[Setting]:
    """The thresholds that a file sets otherwise."""
    if not args.limits:
        return []
    from npuscope.analysis.threshold_list import listed

    return [
        Setting(one.name, t("doctor.threshold", value=one.value, unit=one.unit, default=one.default), args.config_file)
        for one in listed(dict(args.limits))
        if one.changed
    ]


def theme_of(environ: Mapping[str, str]) -> str:
    """The theme the screens begin with here."""
    colors = colors_of(environ)
    return "mono" if colors is None else "ansi" if colors == "standard" else "dark"


def document(checks: Sequence[Check], settings: Sequence[Setting]) -> dict[str, object]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "missing": sum(check.state == LACKS for check in checks),
        "checks": [
            {
                "area": check.area,
                "name": check.name,
                "state": check.state,
                "text": told(check.text),
                "fix": told(check.fix) if check.fix is not None else None,
                "values": dict(check.values),
            }
            for check in checks
        ],
        "settings": [{"name": setting.name, "value": setting.value, "origin": setting.origin} for setting in settings],
    }


def lines(checks: Sequence[Check], settings: Sequence[Setting], width: int) -> list[str]:
    """The page: the answer first, then area by area."""
    missing = sum(check.state == LACKS for check in checks)
    key = "doctor.all" if not missing else "doctor.missing.one" if missing == 1 else "doctor.missing"
    page = [t(key, version=__version__, n=missing)]
    for area in AREAS:
        page += ["", t(f"doctor.area.{area}")]
        for check in checks:
            if check.area == area:
                page += _check_lines(check, width)
    page += ["", t("doctor.area.settings")]
    for setting in settings:
        origin = t(f"doctor.origin.{setting.origin}") if has(f"doctor.origin.{setting.origin}") else setting.origin
        page.append(f"{'':{NAME_X}}{setting.name:<{TEXT_X - NAME_X}}{setting.value}  ({origin})")
    return page


def _check_lines(check: Check, width: int) -> list[str]:
    name = t(f"doctor.name.{check.name}") if has(f"doctor.name.{check.name}") else check.name
    pad = " " * max(1, TEXT_X - NAME_X - cells(name))
    head = f"  {MARKS[check.state]:<{NAME_X - 2}}{name}{pad}"
    texts = list(wrap(told(check.text), width - TEXT_X))
    if check.fix is not None and check.fix.key.startswith("smi."):
        texts += wrap(told(check.fix), width - TEXT_X)  # a question to the person, not something to do
    elif check.fix is not None:
        texts.append(t("doctor.do", fix=told(check.fix)))  # commands stay in one piece, to be copied
    return [(head if number == 0 else " " * TEXT_X) + piece for number, piece in enumerate(texts)]


def cells(name: str) -> int:
    """Cells of a name; Chinese signs take two."""
    from npuscope.cli.printing.textcolumns import width

    return width(name)


def page_width() -> int:
    """The terminal's width, within reason; a file gets the widest."""
    return max(60, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)) if sys.stdout.isatty() else WIDEST
