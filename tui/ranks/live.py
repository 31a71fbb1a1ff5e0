"""What the chip of a rank does now, beside the other chips of this box. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npuscope.analysis.ranks.times import RankTimes
from npuscope.parsers.readings import Chip
from npuscope.tui import numbers
from npuscope.tui.live.chips import chip_label, several_a_card
from npuscope.tui.runs.words import Line
from npuscope.tui.text import t

_WORKER = re.compile(r"(?P<host>.+)_\d+_\d{14,17}_ascend_(?:pt|ms)")
# what tells a slow card, and how it is printed
VALUES = (("power_w", "ranks.live.power"), ("temp_c", "ranks.live.temp"), ("aicore_mhz", "ranks.live.mhz"),
          ("aicore_pct", "ranks.live.core"))  # fmt: skip


def lines(times: RankTimes | None, chips: Sequence[Chip], host: str) -> list[Line]:
    """The pane's lines: the rank's chip, its neighbours, and a word when the profile is of another host."""
    device = times.device if times is not None else None
    if device is None or times is None:
        return [Line("now", t("ranks.live.no-device"), "dim")]
    if not chips:
        return [Line("now", t("ranks.live.no-reading"), "dim")]
    ordered = sorted(chips, key=lambda chip: chip.key)
    own = chip_of(device, ordered)
    if own is None:
        return [Line("now", t("ranks.live.no-chip", device=device, n=len(ordered)), "dim")]
    others = [chip for chip in ordered if chip is not own]
    label = chip_label(own, several_a_card(ordered))
    said = [Line("now", t("ranks.live.own", device=device, npu=label, health=own.health, values=_told([own])))]
    if others:
        said.append(Line("others", t("ranks.live.others", n=len(others), values=_told(others))))
    where = _WORKER.fullmatch(times.run.name)
    if where is not None and where["host"] != host:
        said.append(Line("note", t("ranks.live.other-host", host=where["host"], here=host), "dim"))
    return said


def chip_of(device: int, chips: Sequence[Chip]) -> Chip | None:
    """The chip that programs call `device`: by its own index, else by its place in npu-smi's order."""
    for name in ("local_index", "phy_id"):
        if any(getattr(chip, name) is not None for chip in chips):
            return next((chip for chip in chips if getattr(chip, name) == device), None)
    return chips[device] if device < len(chips) else None


def _told(chips: Sequence[Chip]) -> str:
    """The values of one chip, or from the least to the most of several; what no chip tells is left out."""
    parts = []
    for name, key in VALUES:
        known = [float(value) for chip in chips if (value := getattr(chip, name)) is not None]
        if known:
            digits = 1 if name == "power_w" else 0
            least, most = (numbers.fixed(of(known), digits) for of in (min, max))
            parts.append(t(key, value=least if least == most else f"{least}-{most}"))
    return t("ranks.comma").join(parts) or t("ranks.live.nothing")
