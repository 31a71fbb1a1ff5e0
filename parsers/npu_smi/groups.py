"""`npu-smi info -t …`: `key : value` lines in groups, one group a chip.

Order and indentation differ between drivers: `Chip ID` opens a group or closes it, 950 prints none at all, and the
card's controller (MCU) has a group of its own, which is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from npuscope.parsers.npu_smi.errors import is_prompt, lines_of, nothing_in

_LINE = re.compile(r"([A-Za-z][^:]*?)\s+:(?:\s+(.*))?")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,6})?(?![\w.])", re.ASCII)
_PROCESS = re.compile(
    r"Process id:\s*([0-9]{1,9})\s+Process name:(.*?)\s+Process memory\(MB\):\s*([0-9]{1,9}|NA)", re.IGNORECASE
)
_CARD_KEYS = ("npu id", "chip count", "total count")
_KEY_END = re.compile(r"\s*\(.*\)$")


@dataclass(frozen=True)
class Group:
    """The lines of one chip. Keys as printed, without their unit and in lower case; npu_id None = not printed."""

    npu_id: int | None
    chip_id: int
    values: Mapping[str, str]

    def number(self, *keys: str) -> float | None:
        """First number of the first key that is there; `NA`, `-` and notes are unknown."""
        text = next((self.values[key] for key in keys if key in self.values), "")
        match = _NUMBER.match(text)
        return float(match.group()) if match else None

    def whole(self, *keys: str) -> int | None:
        """As `number`, without decimals."""
        value = self.number(*keys)
        return None if value is None else int(value)

    def percent(self, *keys: str) -> int | None:
        """As `number`, unknown outside 0..100 (239 = the counter is held by profiling)."""
        value = self.whole(*keys)
        return value if value is not None and 0 <= value <= 100 else None

    def text(self, *keys: str) -> str | None:
        """The value as printed; None for `NA`, `-` and nothing."""
        value = next((self.values[key] for key in keys if key in self.values), "")
        return None if value in ("", "NA", "N/A", "-") else value


@dataclass(frozen=True)
class Usages:
    """`-t usages`: every utilization in percent. The only place with bandwidth and the split by engine."""

    npu_id: int | None
    chip_id: int
    aicore_pct: int | None = None
    aivector_pct: int | None = None
    aicube_pct: int | None = None
    npu_pct: int | None = None
    aicpu_pct: int | None = None
    ctrlcpu_pct: int | None = None
    memory_pct: int | None = None
    memory_bandwidth_pct: int | None = None
    hbm_pct: int | None = None
    hbm_bandwidth_pct: int | None = None
    memory_total_mb: int | None = None
    hbm_total_mb: int | None = None


@dataclass(frozen=True)
class Common:
    """`-t common`: clocks in MHz (rated and now), AI Cores, temperature in °C, power in W, usage in percent."""

    npu_id: int | None
    chip_id: int
    aicore_pct: int | None = None
    rated_mhz: int | None = None
    aicore_mhz: int | None = None
    aicores: int | None = None
    memory_pct: int | None = None
    hbm_pct: int | None = None
    temp_c: int | None = None
    power_w: float | None = None


@dataclass(frozen=True)
class Board:
    """`-t board`, of a card or of a chip: what the part is. `npu_name` is the exact bin of a 910C (9392)."""

    npu_id: int | None
    chip_id: int
    chip_name: str | None = None
    npu_name: str | None = None
    product: str | None = None
    driver_version: str | None = None
    firmware_version: str | None = None
    bus_id: str | None = None


@dataclass(frozen=True)
class Health:
    """`-t health`: the word, the error codes and npu-smi's explanation of them."""

    npu_id: int | None
    chip_id: int
    health: str
    codes: tuple[str, ...] = ()
    information: str | None = None


@dataclass(frozen=True)
class DeviceProcess:
    """`-t proc-mem`: one process on the chip that was asked about; up to 32, where the table shows 8."""

    pid: int
    name: str
    memory_mb: int | None


def parse_groups(text: str) -> tuple[Group, ...]:
    """All groups of chips, MCUs dropped. Raises ParseError when no line is `key : value`."""
    groups: list[Group] = []
    npu_id: int | None = None
    found = False
    for block in _blocks(text):
        found = True
        card = [(key, value) for key, value in block if key in _CARD_KEYS]
        npu_id = next((_whole(value) for key, value in card if key == "npu id"), npu_id)
        for lines in _chips([pair for pair in block if pair not in card]):
            values = dict(lines)
            chip_id = _whole(values.pop("chip id", "0"))
            if values.get("chip name", "").casefold() != "mcu" and (values or not card):
                groups.append(Group(npu_id, chip_id or 0, values))
    if not found:
        raise nothing_in(text)
    return tuple(groups)


def parse_usages(text: str) -> tuple[Usages, ...]:
    """Read `-t usages`. Raises ParseError."""
    return tuple(
        Usages(
            group.npu_id,
            group.chip_id,
            aicore_pct=group.percent("aicore usage rate"),
            aivector_pct=group.percent("aivector usage rate", "vectorcore usage rate"),
            aicube_pct=group.percent("aicube usage rate"),
            npu_pct=group.percent("npu utilization"),
            aicpu_pct=group.percent("aicpu usage rate"),
            ctrlcpu_pct=group.percent("ctrlcpu usage rate"),
            memory_pct=group.percent("ddr usage rate", "memory usage rate"),
            memory_bandwidth_pct=group.percent("ddr bandwidth usage rate", "memory bandwidth usage rate"),
            hbm_pct=group.percent("hbm usage rate"),
            hbm_bandwidth_pct=group.percent("hbm bandwidth usage rate"),
            memory_total_mb=group.whole("ddr capacity", "memory capacity") or None,
            hbm_total_mb=group.whole("hbm capacity") or None,
        )
        for group in _some(text, "aicore usage rate", "npu utilization")
    )


def parse_common(text: str) -> tuple[Common, ...]:
    """Read `-t common`. Raises ParseError."""
    return tuple(
        Common(
            group.npu_id,
            group.chip_id,
            aicore_pct=group.percent("aicore usage rate"),
            rated_mhz=group.whole("aicore freq"),
            aicore_mhz=group.whole("aicore curfreq"),
            aicores=group.whole("aicore count"),
            memory_pct=group.percent("memory usage rate"),
            hbm_pct=group.percent("hbm usage rate"),
            temp_c=group.whole("temperature"),
            power_w=group.number("npu real-time power") or None,
        )
        for group in _some(text, "aicore freq", "aicore usage rate")
    )


def parse_board(text: str) -> tuple[Board, ...]:
    """Read `-t board`. Raises ParseError."""
    return tuple(
        Board(
            group.npu_id,
            group.chip_id,
            chip_name=group.text("chip name"),
            npu_name=group.text("npu name"),
            product=group.text("product name"),
            driver_version=group.text("software version"),
            firmware_version=group.text("firmware version"),
            bus_id=group.text("pcie bus info"),
        )
        for group in _some(text, "chip name", "board id", "product name")
    )


def parse_health(text: str) -> tuple[Health, ...]:
    """Read `-t health`. Raises ParseError."""
    found = []
    for group in _some(text, "health", "health status"):
        codes = group.text("error code") or ""
        found.append(
            Health(
                group.npu_id,
                group.chip_id,
                health=group.text("health", "health status") or "UNKNOWN",
                codes=tuple(code for code in re.split(r"[\s,;]+", codes) if code),
                information=group.text("error information"),
            )
        )
    return tuple(found)


def parse_power(text: str) -> Mapping[tuple[int | None, int], float | None]:
    """Read `-t power`: watts by (npu, chip). Raises ParseError."""
    groups = _some(text, "npu real-time power", "power dissipation")
    return {(g.npu_id, g.chip_id): g.number("npu real-time power", "power dissipation") or None for g in groups}


def parse_temperature(text: str) -> Mapping[tuple[int | None, int], int | None]:
    """Read `-t temp`: °C by (npu, chip). Raises ParseError."""
    groups = _some(text, "temperature", "npu temperature")
    return {(g.npu_id, g.chip_id): g.whole("npu temperature", "temperature") for g in groups}


def parse_proc_mem(text: str) -> tuple[DeviceProcess, ...]:
    """Read `-t proc-mem`; none when no process holds memory. Raises ParseError."""
    found = [_PROCESS.search(line) for line in lines_of(text)]
    rows = tuple(DeviceProcess(int(m.group(1)), m.group(2).strip(), _whole(m.group(3))) for m in found if m)
    if not rows and "no process" not in text.casefold():
        raise nothing_in(text)
    return rows


def _some(text: str, *keys: str) -> Iterable[Group]:
    """Groups that have one of the keys; ParseError when none has."""
    groups = [group for group in parse_groups(text) if any(key in group.values for key in keys)]
    if not groups:
        raise nothing_in(text)
    return groups


def _blocks(text: str) -> Iterable[list[tuple[str, str]]]:
    """Runs of `key : value` lines between other lines; a new `NPU ID` begins a block of its own."""
    block: list[tuple[str, str]] = []
    for line in lines_of(text):
        match = None if is_prompt(line) else _LINE.fullmatch(line)
        key = _KEY_END.sub("", match.group(1)).strip().casefold() if match else ""
        if (not match or key == "npu id") and block:
            yield block
            block = []
        if match:
            block.append((key, (match.group(2) or "").strip()))
    if block:
        yield block


def _chips(lines: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The groups of one block: several only where a copy lost the blank lines between them."""
    marks = [pair for pair in lines if pair[0] == "chip id" or _is_mcu(pair)]
    if len(marks) < 2:
        return [lines] if lines else []
    opens = lines[0][0] == "chip id"
    groups: list[list[tuple[str, str]]] = [[]]
    for pair in lines:
        keys = {key for key, _ in groups[-1]}
        if pair[0] in keys or ("chip id" in keys and (not opens or _is_mcu(pair))):
            groups.append([])
        groups[-1].append(pair)
    return groups


def _is_mcu(pair: tuple[str, str]) -> bool:
    return pair[0] == "chip name" and pair[1].casefold() == "mcu"


def _whole(word: str) -> int | None:
    match = _NUMBER.match(word)
    return int(float(match.group())) if match else None
