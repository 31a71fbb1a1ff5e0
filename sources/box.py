"""What this box has of what live readings and exports need. Looks, starts nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from npuscope.sources.command import find_program
from npuscope.sources.npu_smi import command_line

_DEVICE = re.compile(r"davinci\d+")


@dataclass(frozen=True)
class Box:
    """Paths of the programs (None = not found) and the number of NPU device files."""

    smi: str | None
    devices: int
    msprof: str | None


def look(smi_command: str, environ: Mapping[str, str], dev: Path = Path("/dev")) -> Box:
    """Look at the file system; takes under a millisecond."""
    try:
        words = command_line(smi_command)
    except ValueError:
        words = None
    try:
        devices = sum(1 for path in dev.iterdir() if _DEVICE.fullmatch(path.name))
    except OSError:
        devices = 0
    return Box(words[0] if words else None, devices, find_program("msprof", environ))
