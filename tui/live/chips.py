"""What one row of the chips panel shows, as plain values: a chip, or a card with its two dies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from npuscope.parsers.readings import Chip, ChipKey
from npuscope.tui.filtering import Condition
from npuscope.tui.live.columns import ENGINES, Traits

SEVERITIES = ("OK", "Warning", "Alarm", "Critical", "UNKNOWN")
TEXT_FIELDS = ("health", "model", "note")
NUMBER_FIELDS = ("util", "hbm", "hbm%", "w", "c", "mhz", "npu", "chip")
SORTABLE = ("npu", "health", "model", "core", "hbm", "power", "temp", "mhz", *ENGINES)
LIVE = ("core", "hbm", "power", "temp", "mhz", *ENGINES)


@dataclass(frozen=True)
class Note:
    """A remark on a row: the catalogue key of its long and (key + ".short") short wording; `at` = a time it names."""

    key: str
    warn: bool = False
    at: str = ""


@dataclass(frozen=True)
class ChipLine:
    """One row. `position` is its place in npu-smi's order; `words` is what a plain text filter looks through."""

    dies: tuple[Chip, ...]
    label: str
    position: int
    health: str
    note: Note | None = None
    attention: bool = False
    stale: bool = False
    words: str = ""

    @property
    def keys(self) -> tuple[ChipKey, ...]:
        """The chips it speaks of."""
        return tuple(chip.key for chip in self.dies)

    @property
    def power_w(self) -> float | None:
        """Power of the whole card: npu-smi prints it at the first die."""
        known = [chip.power_w for chip in self.dies if chip.power_w is not None]
        return sum(known) if known else None


def memory_mb(chip: Chip) -> tuple[int | None, int | None]:
    """Used and total device memory: HBM, or DDR where the chip has no HBM."""
    if chip.hbm_total_mb is not None:
        return chip.hbm_used_mb, chip.hbm_total_mb
    return chip.memory_used_mb, chip.memory_total_mb


def has_two_dies(chips: Iterable[Chip]) -> bool:
    """Whether every card carries two dies with HBM (910C): then a row shows a card."""
    cards: dict[int, list[Chip]] = {}
    for chip in chips:
        cards.setdefault(chip.npu_id, []).append(chip)
    return bool(cards) and all(
        len(dies) == 2 and all(die.hbm_total_mb is not None for die in dies) for dies in cards.values()
    )


def chip_label(chip: Chip, several: bool) -> str:
    """How a chip is called: its NPU id, with the chip id where cards carry several chips."""
    return f"{chip.npu_id}/{chip.chip_id}" if several else str(chip.npu_id)


def several_a_card(chips: Sequence[Chip]) -> bool:
    """Whether an NPU id alone does not tell the chip."""
    return len({chip.npu_id for chip in chips}) < len(chips) or any(chip.chip_id for chip in chips)


def traits(chips: Sequence[Chip]) -> Traits:
    """What the columns must be able to show."""
    dies = 2 if has_two_dies(chips) else 1
    several = several_a_card(chips) and dies == 1
    totals = {memory_mb(chip)[1] for chip in chips}
    engines = {"bandwidth": "hbm_bandwidth_pct", "vector": "aivector_pct"}
    return Traits(
        label=max((len(chip_label(chip, several)) for chip in chips), default=1),
        mixed=len({chip.name for chip in chips}) > 1,
        mhz=any(chip.aicore_mhz is not None for chip in chips),
        engines=tuple(name for name in ENGINES if any(getattr(chip, engines[name]) is not None for chip in chips)),
        totals_differ=len(totals) > 1,
        dies=dies,
    )


def worst_health(dies: Sequence[Chip]) -> str:
    """The health of a row: the worst of its dies."""
    return max((die.health for die in dies), key=severity)


def severity(health: str) -> int:
    """Rank of a health word; a word nobody knows stands with UNKNOWN."""
    return SEVERITIES.index(health) if health in SEVERITIES else len(SEVERITIES) - 1


def lines_of(
    chips: Sequence[Chip],
    notes: Mapping[ChipKey, Note],
    stale: Mapping[ChipKey, float],
    words: Mapping[ChipKey, str],
    tell: Callable[[Note], str],
) -> tuple[ChipLine, ...]:
    """The rows in npu-smi's order. `words` = commands and users on a chip, for the plain text filter."""
    cards = has_two_dies(chips)
    several = several_a_card(chips) and not cards
    groups: dict[object, list[Chip]] = {}
    for chip in chips:
        groups.setdefault(chip.npu_id if cards else chip.key, []).append(chip)
    lines = []
    for position, dies in enumerate(groups.values()):
        found = [notes[die.key] for die in dies if die.key in notes]
        note = next((note for note in found if note.warn), found[0] if found else None)
        health = worst_health(dies)
        label = chip_label(dies[0], several)
        said = [label, health, *(die.name for die in dies), tell(note) if note else ""]
        lines.append(
            ChipLine(
                dies=tuple(dies),
                label=label,
                position=position,
                health=health,
                note=note,
                attention=severity(health) > 0 or bool(note and note.warn),
                stale=any(die.key in stale for die in dies),
                words=" ".join([*said, *(words.get(die.key, "") for die in dies)]),
            )
        )
    return tuple(lines)


# ---- order and filter


def sort_value(line: ChipLine, column: str) -> float | str | None:
    """What a row is ordered by; of two dies the larger value."""
    if column == "npu":
        return line.position
    if column == "health":
        return severity(line.health)
    if column == "model":
        return line.dies[0].name
    if column == "power":
        return line.power_w
    known = [value for value in (die_value(die, column) for die in line.dies) if value is not None]
    return max(known) if known else None


def die_value(die: Chip, column: str) -> float | None:
    """The number in a column, in the unit that is shown (GB, not MB)."""
    if column == "hbm":
        used = memory_mb(die)[0]
        return None if used is None else used / 1024
    return {
        "core": die.aicore_pct,
        "power": die.power_w,
        "temp": die.temp_c,
        "mhz": die.aicore_mhz,
        "bandwidth": die.hbm_bandwidth_pct,
        "vector": die.aivector_pct,
    }[column]


def matches(line: ChipLine, conditions: Sequence[Condition], note: str) -> bool:
    """Whether a row meets all conditions; a card does when one of its dies does."""
    return any(all(_holds(line, die, condition, note) for condition in conditions) for die in line.dies)


def _holds(line: ChipLine, die: Chip, condition: Condition, note: str) -> bool:
    if not condition.field:
        return condition.holds(line.words)
    used, total = memory_mb(die)
    values: dict[str, float | str | None] = {
        "health": die.health,
        "model": die.name,
        "note": note,
        "util": die.aicore_pct,
        "hbm": die_value(die, "hbm"),
        "hbm%": 100 * used / total if used is not None and total else None,
        "w": line.power_w,
        "c": die.temp_c,
        "mhz": die.aicore_mhz,
        "npu": die.npu_id,
        # where a card is one chip, people say chip 3 for NPU 3
        "chip": die.npu_id if line.label == str(die.npu_id) and len(line.dies) == 1 else die.chip_id,
    }
    return condition.holds(values[condition.field])
