"""config.toml: defaults a person sets once. Options beat the environment, which beats this file, which beats defaults.

theme = "light"
lang = "zh"
interval = 2.0
npu-smi = "sudo npu-smi"
chip = "910B3"
hbm-gbps = 1600

[thresholds]                 # npuscope doctor --thresholds names them all
move_cube = 0.85
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from npuscope.tui.text import t, told

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from npuscope.analysis.basis import Calibration

VARIABLE = "NPUSCOPE_CONFIG"
SETTINGS = ("theme", "lang", "ascii", "color", "interval", "npu-smi", "source", "chip", "hbm-gbps")
THRESHOLDS = "thresholds"


class ConfigError(Exception):
    """The file cannot be used; the text is the sentence for the person."""


def place(environ: Mapping[str, str], asked: str | None = None) -> Path:
    """Where the settings are read from."""
    named = asked or environ.get(VARIABLE)
    return Path(named) if named else Path(platformdirs.user_config_dir("npuscope")) / "config.toml"


def read(path: Path, must_exist: bool = False) -> dict[str, Any]:
    """The settings; none where there is no file. Raises ConfigError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(t("config.missing", file=str(path))) from None
        return {}
    except OSError as error:
        raise ConfigError(t("config.unreadable", file=str(path), reason=error.strerror)) from None
    except RecursionError:
        raise ConfigError(t("config.broken", file=str(path), reason="too deep")) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(t("config.broken", file=str(path), reason=str(error))) from None
    unknown = sorted(set(values) - {*SETTINGS, THRESHOLDS})
    if unknown:
        raise ConfigError(
            t("config.unknown", file=str(path), word=unknown[0], known=", ".join((*SETTINGS, THRESHOLDS)))
        )
    return values


def asked_for(words: Sequence[str]) -> str | None:
    """FILE of `--config FILE` or `--config=FILE`, wherever it stands."""
    for word, after in zip(words, [*words[1:], ""]):
        if word == "--config" and after:
            return after
        if word.startswith("--config="):
            return word.partition("=")[2]
    return None


def apply(parser: argparse.ArgumentParser, words: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    """Make the file's settings the parser's defaults, each checked as its option would be. Raises ConfigError.

    A command that looks at profiles also gets the thresholds, and what was measured on this box; where `configured`
    is among its defaults it learns which file its settings come from.
    """
    asked = asked_for(words)
    parser.add_argument("--config", metavar="FILE", help=t("options.config"))
    path = place(os.environ if environ is None else environ, asked)
    values = read(path, must_exist=asked is not None)
    actions = {action.dest: action for action in parser._actions}
    settings = {name.replace("-", "_"): value for name, value in values.items() if name != THRESHOLDS}
    taken: dict[str, Any] = {}
    for name, value in settings.items():
        action = actions.get(name)
        if action is not None:
            taken[action.dest] = _checked(action, name.replace("_", "-"), value, path)
    if "hbm_gbps" in actions:
        limits = thresholds_of(values.get(THRESHOLDS, {}), path)
        taken.update(limits=limits, configured=settings, config_file=str(path))
        if "calibrate" not in actions:  # who mends a file must not fail of it
            taken["calibrations"] = _calibrations()
    parser.set_defaults(**taken)  # all of a file or none of it


def thresholds_of(values: Any, path: Path) -> tuple[tuple[str, float], ...]:
    """The thresholds that a file sets, checked. Raises ConfigError."""
    if not values and isinstance(values, dict):
        return ()
    from npuscope.analysis.thresholds import ThresholdError, overridden

    if not isinstance(values, dict):
        raise ConfigError(t("config.value", file=str(path), name=THRESHOLDS, reason=str(values)))
    try:
        overridden(values)
    except ThresholdError as error:
        raise ConfigError(t("config.threshold", file=str(path), reason=told(error.why))) from None
    return tuple((name, float(value)) for name, value in values.items())


def _calibrations() -> tuple[Calibration, ...]:
    from npuscope.cli import calibrations

    try:
        return calibrations.read(calibrations.place())
    except calibrations.CalibrationFileError as error:
        raise ConfigError(str(error)) from None


def _checked(action: argparse.Action, name: str, value: Any, path: Path) -> Any:
    if action.nargs == 0:
        taken: Any = value if isinstance(value, bool) else None
    elif isinstance(value, (bool, dict, list)) or (action.choices is not None and value not in action.choices):
        taken = None
    else:
        try:
            taken = action.type(str(value)) if callable(action.type) else str(value)
        except (argparse.ArgumentTypeError, ValueError) as error:
            raise ConfigError(t("config.value", file=str(path), name=name, reason=str(error))) from None
    if taken is None:
        raise ConfigError(t("config.value", file=str(path), name=name, reason=str(value)))
    return taken
