"""Launch-bound: the host's start cost, before the task or inside its head, is longer than the work."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.labels.derived import Derived, once
from npuscope.analysis.labels.evidence import Explained, Names, at, known, plain
from npuscope.analysis.labels.verdict import Evidence
from npuscope.analysis.rules.conditions import Condition
from npuscope.parsers.say import say


@once
def start_cost(d: Derived) -> Floats:
    """What starting a task costs at most, in us: its head, and the blocks beyond the cores."""
    return d.t.floor_us + d.t.block_us * known_or(d.more_blocks, 0)


WAITS = Condition("gap", lambda d: d.W, ">", "wait_us", "time")
WAITS_LONGER = Condition("gap", lambda d: d.W, ">=", lambda d: d.D, "time")
SHORT = Condition("duration", lambda d: d.D, "<=", "worth_us", "time")
HEAD = Condition("core-share", lambda d: d.T / d.D, "<", "head_share")
HEAD_SHORT = Condition("duration", lambda d: d.D, "<", "head_longest_us", "time")
HEAD_MOST = Condition("outside", lambda d: d.outside, "<=", "outside_us", "time")
FLOOR = Condition("duration", lambda d: d.D, "<", start_cost, "time")
FLOOR_WORK = Condition("floor-share", lambda d: d.bounds.work_us / d.D, "<", "floor_share")
SHORT_TASK = Condition("duration", lambda d: d.D, "<", "short_us", "time")
VERY_SHORT = Condition("duration", lambda d: d.D, "<", "very_short_us", "time")
BLOCKS = Condition("blocks-share", lambda d: d.t.block_us * d.more_blocks / d.D, ">=", "blocks_share")


class Launch:
    """Idle device before a short task, or a task that is mostly head cost."""

    label = "launch"
    details = ("gap", "head", "blocks")
    conditions = (WAITS, WAITS_LONGER, SHORT, HEAD, HEAD_SHORT, HEAD_MOST, FLOOR, FLOOR_WORK, BLOCKS)

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where the start cost is not the limit."""
        gap = np.where(self.forced(d), 0.6 + 0.4 * d.W / (d.W + d.D), 0)
        head = np.where(_head(d), 1 - 0.8 * d.T / d.D, 0)
        floor = np.where(FLOOR.holds(d) & FLOOR_WORK.holds(d), 1 - d.bounds.work_us / d.D, 0)
        blocks = np.where(BLOCKS.holds(d), np.minimum(0.5 + d.t.block_us * d.more_blocks / d.D, 1.0), 0)
        score: Floats = np.maximum(np.maximum(gap, head), np.maximum(floor, blocks))
        return score

    def forced(self, d: Derived) -> Bools:
        """Rows where the gap alone decides: mending the kernel cannot help."""
        return forced(d)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        return np.select([self.forced(d), BLOCKS.holds(d)], [0, 2], default=1)

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row."""
        duration, block = plain(at(d.D, row)), plain(at(d.block, row))
        metric, worth = names.of("duration_us"), d.t.worth_us
        if detail == "gap":
            gap = plain(at(d.W, row))
            found = [
                Evidence(metric, duration, worth, say("evidence.duration", us=duration, limit=worth)),
                Evidence("gap_before_us", gap, d.t.wait_us, say("evidence.gap", us=gap, limit=d.t.wait_us)),
            ]
        else:
            found = [Evidence(metric, duration, None, say("evidence.runs", us=duration))]
        if detail != "gap" and known(d.T, row):
            core = plain(at(d.T, row))
            found.append(Evidence("core_time_us", core, None, say("evidence.core-time", us=core, of=duration)))
        if detail != "gap" and known(d.bounds.work_us, row):
            bound = plain(at(d.bounds.work_us, row))
            found.append(Evidence("bound_us", bound, None, say("evidence.bound", us=bound)))
        if block is not None:
            found.append(_blocks(d, row, block, detail, names))
        return Explained(detail, tuple(found))


@once
def forced(d: Derived) -> Bools:
    """A short task after an idle device that waited for nothing but the host."""
    return WAITS.holds(d) & WAITS_LONGER.holds(d) & SHORT.holds(d) & ~d.waited


def _head(d: Derived) -> Bools:
    return HEAD.holds(d) & HEAD_SHORT.holds(d) & HEAD_MOST.holds(d)


def _blocks(d: Derived, row: int, block: float, detail: str | None, names: Names) -> Evidence:
    metric = names.of("block_dim")
    if detail != "blocks":
        return Evidence(metric, block, None, say("evidence.block", block=int(block)))
    cores, us = int(at(d.cores, row)), plain(d.t.block_us * at(d.more_blocks, row))
    return Evidence(metric, block, cores, say("evidence.many-blocks", block=int(block), cores=cores, us=us))
