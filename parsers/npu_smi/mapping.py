"""`npu-smi info -m` and `npu-smi info -l`: which chips there are and by which numbers programs know them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npuscope.parsers.npu_smi.errors import lines_of, nothing_in
from npuscope.parsers.npu_smi.rows import whole

_COLUMN = re.compile(r"NPU ID|Slot ID|Chip ID|Chip Logic ID|Chip Phy-ID|Chip Name", re.IGNORECASE)
_COUNT = re.compile(r"Total Count\s*:\s*([0-9]{1,9})", re.IGNORECASE)
_PAIR = re.compile(r"(NPU ID|Chip Count|Product Name|Serial Number)\s*:\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class MappedChip:
    """One chip of `-m`. `logic_id` is what programs and `local_index` use; None where the driver does not print it."""

    npu_id: int
    chip_id: int
    name: str
    logic_id: int | None = None
    phy_id: int | None = None
    slot_id: int | None = None


@dataclass(frozen=True)
class Card:
    """One card of `-l`."""

    npu_id: int
    chips: int | None = None
    product: str | None = None
    serial: str | None = None


@dataclass(frozen=True)
class Cards:
    """The cards listed, and how many npu-smi said there are."""

    total: int | None
    cards: tuple[Card, ...]


def parse_mapping(text: str) -> tuple[MappedChip, ...]:
    """The chips of `-m` without MCU rows. Raises ParseError."""
    names: list[str] = []
    found: list[MappedChip] = []
    for line in lines_of(text):
        header = [word.casefold() for word in _COLUMN.findall(line)]
        if len(header) > 2:
            names = header
        elif names:
            words = line.split(None, len(names) - 1)
            row = _mapped(dict(zip(names, words))) if len(words) == len(names) else None
            if row:
                found.append(row)
    if not names:
        raise nothing_in(text)
    return tuple(found)


def _mapped(words: dict[str, str]) -> MappedChip | None:
    numbers = {name: whole(word) for name, word in words.items() if name != "chip name"}
    npu_id, chip_id = numbers.get("npu id"), numbers.get("chip id")
    name = words.get("chip name", "")
    if npu_id is None or chip_id is None or name.casefold() == "mcu":
        return None
    return MappedChip(
        npu_id, chip_id, name, numbers.get("chip logic id"), numbers.get("chip phy-id"), numbers.get("slot id")
    )


def parse_list(text: str) -> Cards:
    """The cards of `-l`; a copy may hold fewer than `total`. Raises ParseError."""
    total = _COUNT.search(text)
    cards: list[dict[str, str]] = []
    for line in lines_of(text):
        pair = _PAIR.fullmatch(line)
        if pair and pair.group(1).casefold() == "npu id":
            cards.append({})
        if pair and cards:
            cards[-1][pair.group(1).casefold()] = pair.group(2)
    found = tuple(
        Card(
            int(card["npu id"]), whole(card.get("chip count", "")), card.get("product name"), card.get("serial number")
        )
        for card in cards
        if whole(card["npu id"]) is not None
    )
    if not found and not total:
        raise nothing_in(text)
    return Cards(int(total.group(1)) if total else None, found)
