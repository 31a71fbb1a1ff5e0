"""Access pattern: the movement pipe is busy, yet little arrives: small, unaligned, strided or repeated moves."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import (
    Explained,
    Names,
    at,
    bandwidth,
    blocks,
    cache,
    conflict,
    known,
    plain,
    share,
)
from npuscope.analysis.labels.verdict import Evidence
from npuscope.analysis.rules import movement
from npuscope.analysis.rules.memory import limit_of
from npuscope.parsers.say import say


class Access:
    """Direct evidence, or bandwidth far below the peak with the pipe busy and all cores in use."""

    label = "access"
    details = ("packets", "unaligned", "conflicts", "rereads", "strided", "tile", "slow")
    conditions = (*movement.STRENGTH, *movement.WAY)

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where data arrive as they should or movement is not the limit."""
        return movement.shares(d)[1]

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        return np.select(
            [
                movement.SMALL_PACKET.holds(d),
                d.work.ragged,
                movement.strided(d) & movement.CONFLICT.holds(d),
                movement.POOR_HIT.holds(d) & movement.REREAD.holds(d),
                d.work.moves_only,
                d.work.off_tile,
            ],
            [0, 1, 2, 3, 4, 5],
            default=6,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row."""
        pipe = movement.busiest_mover(d, row)
        found = [*(share(d, row, pipe, names, limit_of(d, row, pipe)) if pipe else ())]
        found += bandwidth(d, row, d.t.poor, "evidence.bandwidth.poor")
        found += _direct(d, row)
        return Explained(detail, (*found, *cache(d, row), *conflict(d, row), *blocks(d, row, names)))


def _direct(d: Derived, row: int) -> list[Evidence]:
    found = []
    packet = movement.packet(d)
    if known(packet, row) and at(packet, row) < d.t.small_packet:
        size = plain(at(packet, row))
        text = say("evidence.packet", size=size, limit=d.t.small_packet)
        found.append(Evidence("bytes_per_instruction", size, d.t.small_packet, text))
    if d.work.ragged[row]:
        found.append(Evidence("inner_axis", None, 32.0, say("evidence.ragged")))
    elif d.work.off_tile[row]:
        found.append(Evidence("inner_axis", None, 256.0, say("evidence.off-tile")))
    if known(d.traffic, row) and known(d.bytes, row) and at(d.bytes, row) > 0:
        times = plain(at(d.traffic, row) / at(d.bytes, row))
        found.append(Evidence("moved_over_needed", times, d.t.reread, say("evidence.reread", times=times)))
    if d.no_mte[row] or d.vec_may_move[row]:
        found.append(Evidence("mte2+mte3", None, None, say("evidence.no-mte")))
    return found
