"""Where the launches of an msprof op run lie: one folder per operator launch, told by the paths of its files alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from npuscope.parsers.profile import UNKNOWN

BASIC_INFO = re.compile(r"OpBasicInfo(?:_\d+)?.*\.csv")
GROUPS = (
    "PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB", "L2Cache", "ResourceConflictRatio",
)  # fmt: skip
METRICS = re.compile(rf"(?:OpBasicInfo|{'|'.join(GROUPS)})(?:_\d+)?\.csv")
SIMULATOR = "simulator"
CORE = re.compile(r"core(?P<core>\d+)\.(?P<side>vec|cube)core(?P<sub>\d+)")
INSTRUCTIONS = re.compile(r"core[.\w]*_instr_exe(?:_\d+)?\.csv")
DEVICE = re.compile(r"device_?(\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")


@dataclass(frozen=True)
class Launch:
    """One launch of one operator. `folder` is relative to the run ("" = the run's own), `files` to `folder`.

    `operator` is the name of the folder, None where the run is flat; device is UNKNOWN where no folder names it.
    """

    folder: str
    files: tuple[str, ...]
    operator: str | None = None
    device: int = UNKNOWN
    number: int = 0

    @property
    def simulated(self) -> bool:
        """Whether it was run on the simulator."""
        return all(file.startswith(f"{SIMULATOR}/") for file in self.files)


def launches_of(files: Iterable[str]) -> tuple[Launch, ...]:
    """The launches that hold these files (relative to the run), by device, operator and number."""
    found: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        head, inside, rest = f"{folder}/".partition(f"{SIMULATOR}/")
        if inside and (not head or head.endswith("/")):
            folder, name = head.rstrip("/"), f"{inside}{rest}{name}"
        found.setdefault(folder, []).append(name)
    return tuple(sorted((_launch(folder, names) for folder, names in found.items()), key=_order))


def _launch(folder: str, files: list[str]) -> Launch:
    parts = folder.split("/") if folder else []
    number = int(parts.pop()) if parts and _NUMBER.fullmatch(parts[-1]) else 0
    device = DEVICE.fullmatch(parts[0]) if parts else None
    if device is not None:
        parts.pop(0)
    return Launch(
        folder, tuple(sorted(files)), "/".join(parts) or None, int(device.group(1)) if device else UNKNOWN, number
    )


def _order(launch: Launch) -> tuple[int, str, int]:
    return launch.device, launch.operator or "", launch.number
