"""What is left behind when the application fails at something nobody thought of: a file for the report, a sentence."""

from __future__ import annotations

import platform
import tempfile
import time
import traceback
from pathlib import Path

import platformdirs

from npuscope import __version__
from npuscope.tui.text import t


def keep(error: BaseException) -> str:
    """Write the details of the error to a file; the sentence that names it."""
    versions = f"npuscope {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    details = versions + "".join(traceback.format_exception(type(error), error, error.__traceback__))
    name = time.strftime("crash-%Y%m%d-%H%M%S.txt")
    for folder in (Path(platformdirs.user_log_dir("npuscope")), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(details, encoding="utf-8", errors="replace")
        except OSError:
            continue
        return t("ui.crashed", error=f"{type(error).__name__}: {error}"[:200], file=str(folder / name))
    return t("ui.crashed.nowhere", error=f"{type(error).__name__}: {error}"[:200])
