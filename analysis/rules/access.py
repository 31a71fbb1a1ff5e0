"""Access pattern: the movement pipe is busy, yet little arrives: small, unaligned, strided or repeated moves."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints, known_or
from npuscope.analysis.derived import Derived
from npuscope.analysis.evidence import Explained, Names, at, bandwidth, blocks, busiest, known, plain, share
from npuscope.analysis.rules import movement
from npuscope.analysis.verdict import Evidence
from npuscope.parsers.say import Say, say

TIED = 0.03  # behind memory in the band where both stand
STRIDED_SCORE = 0.8  # no movement pipe to read a share from: the limit of a pipe that would have one


class Access:
    """Direct evidence, or bandwidth far below the peak with the pipe busy and all cores in use."""

    label = "access"
    details = ("packets", "unaligned", "conflicts", "strided", "tile", "slow")

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where data arrive as they should or movement is not the limit."""
        strength = movement.strength(d)
        wrong = movement.evident(d) | movement.poor(d)
        score = np.where(wrong, strength, np.where(movement.near_poor(d), strength - TIED, 0))
        score = np.where(movement.pipe_strength(d) > 0, np.maximum(score, 0), 0)
        return np.where(movement.strided(d), STRIDED_SCORE, score)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        conflicts = movement.strided(d) & (known_or(d.conflict, 0) > movement.CONFLICT)
        return np.select(
            [
                known_or(d.packet, np.inf) < movement.SMALL_PACKET,
                d.work.ragged,
                conflicts,
                d.work.moves_only,
                d.work.off_tile,
            ],
            [0, 1, 2, 3, 4],
            default=5,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row."""
        pipe = busiest(d, row, ("aic_mte2", "aiv_mte2", "aiv_mte3", "aic_mte3"))
        limit = movement.VECTOR_SIDE if pipe and pipe.startswith("aiv") else movement.CUBE_SIDE
        found = [*(share(d, row, pipe, names, limit) if pipe else ())]
        found += bandwidth(d, row, movement.POOR, "evidence.bandwidth.poor")
        found += _direct(d, row)
        return Explained(detail, (*found, *blocks(d, row, names)), self.advice(detail))

    def advice(self, detail: str | None) -> tuple[Say, ...]:
        """What to try, best first."""
        packets, align = say("advice.access.packets"), say("advice.access.align")
        return {
            "packets": (packets, say("advice.access.strided-copy"), align),
            "unaligned": (align, say("advice.access.pad"), packets),
            "conflicts": (say("advice.access.conflicts"), packets),
            "strided": (say("advice.access.contiguous"), packets, say("advice.access.strided-copy")),
            "tile": (say("advice.access.pad"), align, packets),
        }.get(detail or "", (packets, align, say("advice.access.same-address")))


def _direct(d: Derived, row: int) -> list[Evidence]:
    found = []
    if known(d.packet, row) and at(d.packet, row) < movement.SMALL_PACKET:
        size = plain(at(d.packet, row))
        text = say("evidence.packet", size=size, limit=movement.SMALL_PACKET)
        found.append(Evidence("bytes_per_mte2_instruction", size, movement.SMALL_PACKET, text))
    if d.work.ragged[row]:
        found.append(Evidence("inner_axis", None, 32.0, say("evidence.ragged")))
    elif d.work.off_tile[row]:
        found.append(Evidence("inner_axis", None, 256.0, say("evidence.off-tile")))
    if known(d.conflict, row) and at(d.conflict, row) > movement.CONFLICT:
        value = plain(at(d.conflict, row))
        text = say("evidence.conflict", value=value, limit=movement.CONFLICT)
        found.append(Evidence("vec_bank_conflict_ratio", value, movement.CONFLICT, text))
    if d.no_mte[row]:
        found.append(Evidence("mte2+mte3", None, None, say("evidence.no-mte")))
    return found
