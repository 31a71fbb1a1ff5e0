"""calibration.toml: the HBM bandwidth measured on this user's chips, in the user's data folder."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from npuscope.analysis.basis import Calibration
from npuscope.tui.text import clean, t

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "calibration.toml"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MOST_GBPS = 100_000.0


class CalibrationFileError(Exception):
    """The file cannot be used; the text is the sentence for the person."""


def place() -> Path:
    """Where they are kept."""
    import platformdirs

    return Path(platformdirs.user_data_dir("npuscope")) / NAME


def read(path: Path) -> tuple[Calibration, ...]:
    """All that were kept; none where there is no file. Raises CalibrationFileError."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise CalibrationFileError(t("config.unreadable", file=str(path), reason=error.strerror)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CalibrationFileError(t("calibrate.broken", file=str(path), reason=str(error))) from None
    return tuple(_one(chip, table, path) for chip, table in tables.items())


def _one(chip: str, table: Any, path: Path) -> Calibration:
    gbps = table.get("hbm_gbps") if isinstance(table, dict) else None
    if isinstance(gbps, bool) or not isinstance(gbps, (int, float)) or not 0 < gbps <= _MOST_GBPS:
        raise CalibrationFileError(t("calibrate.broken", file=str(path), reason=f"[{chip}] hbm_gbps"))
    words = {name: str(table.get(name, "")) for name in ("date", "profile", "operator", "shapes")}
    calls = table.get("calls", 0)
    whole = isinstance(calls, int) and not isinstance(calls, bool)
    return Calibration(chip, float(gbps), calls=calls if whole else 0, **words)


def write(path: Path, kept: Iterable[Calibration]) -> None:
    """Put a new file in the place of the old one, all of it or nothing. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=f".{NAME}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as out:
            out.write(_text(kept))
        Path(made).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(made).unlink()
        raise


def _text(kept: Iterable[Calibration]) -> str:
    lines = [
        "# HBM bandwidth that streaming operators reached on this user's chips (npuscope doctor --calibrate PROFILE).",
        "# In 10^9 bytes/s; --hbm-gbps beats it; npuscope doctor --calibrate-reset CHIP takes one away.",
    ]
    for one in sorted(kept, key=lambda one: one.chip):
        words = (("date", one.date), ("profile", one.profile), ("operator", one.operator), ("shapes", one.shapes))
        lines += ["", f"[{one.chip if _BARE.fullmatch(one.chip) else _quoted(one.chip)}]"]
        lines.append(f"hbm_gbps = {one.gbps if math.isfinite(one.gbps) else 0.0}")
        lines += [f"{name} = {_quoted(value)}" for name, value in words]
        lines.append(f"calls = {one.calls}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """As a basic string of TOML, whose escapes are JSON's once control characters are gone."""
    return json.dumps(clean(text), ensure_ascii=False)
