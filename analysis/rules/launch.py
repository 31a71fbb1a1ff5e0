"""Launch-bound: the host's start cost, before the task or inside its head, is longer than the work."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.derived import Derived
from npuscope.analysis.evidence import Explained, Names, at, known, plain
from npuscope.analysis.verdict import Evidence
from npuscope.parsers.say import Say, say

WAIT_US = 10.0  # [MSP condition_wait_time_1]
WORTH_US = 20.0  # a longer task is worth tuning by itself [MSP, ADV, ASI]
INSIDE, LONGEST_US = 0.5, 200.0  # core time under half of a task this short [AGT]
HEAD_MOST_US = 30.0  # and by no more than this: what is longer may be one slow core [TRN]
FLOOR_US, FLOOR_SHARE = 5.0, 0.1  # head cost: a copy of one element takes 2.7 to 2.9 us on 910B [TRN]
BLOCK_US = 0.0175  # each block beyond the cores costs 15 to 20 ns to start [DEV]
TINY_SHARE, TINY_US, TINY_BLOCKS, TINY_BONUS = 0.25, 10.0, 2, 0.2  # work that could not fill the task (own choice)


class Launch:
    """Idle device before a short task, or a task that is mostly head cost."""

    label = "launch"
    details = ("gap", "head")

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where the start cost is not the limit."""
        gap = np.where(self.forced(d), 0.6 + 0.4 * d.W / (d.W + d.D), 0)
        head = np.where(_head(d), 1 - 0.8 * d.T / d.D, 0)
        tiny = (known_or(d.bounds.bound_us, np.inf) < TINY_SHARE * d.D) & (d.D < TINY_US) & (d.block <= TINY_BLOCKS)
        bonus = np.where(tiny & ((gap > 0) | (head > 0)), TINY_BONUS, 0)
        floor = np.where(_floor(d), 1 - d.bounds.bound_us / d.D, 0)
        score: Floats = np.minimum(np.maximum(np.maximum(gap, head) + bonus, floor), 1.0)
        return score

    def forced(self, d: Derived) -> Bools:
        """Rows where the gap alone decides: mending the kernel cannot help."""
        return (d.W > WAIT_US) & (d.W >= d.D) & (d.D <= WORTH_US) & ~d.waited

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        return np.where(self.forced(d), 0, 1)

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row."""
        duration, block = plain(at(d.D, row)), plain(at(d.block, row))
        metric = names.of("duration_us")
        if detail == "gap":
            found = [Evidence(metric, duration, WORTH_US, say("evidence.duration", us=duration, limit=WORTH_US))]
        else:
            found = [Evidence(metric, duration, None, say("evidence.runs", us=duration))]
        if detail == "gap":
            gap = plain(at(d.W, row))
            found.append(Evidence("gap_before_us", gap, WAIT_US, say("evidence.gap", us=gap, limit=WAIT_US)))
        elif known(d.T, row):
            core = plain(at(d.T, row))
            found.append(Evidence("core_time_us", core, None, say("evidence.core-time", us=core, of=duration)))
        if detail == "head" and known(d.bounds.bound_us, row):
            bound = plain(at(d.bounds.bound_us, row))
            found.append(Evidence("bound_us", bound, None, say("evidence.bound", us=bound)))
        if block is not None:
            found.append(Evidence(names.of("block_dim"), block, None, say("evidence.block", block=int(block))))
        return Explained(detail, tuple(found), self.advice(d, row, detail))

    def advice(self, d: Derived, row: int, detail: str | None) -> tuple[Say, ...]:
        """What to try, best first: never the kernel itself."""
        if detail == "head" and at(d.block, row) > at(d.cores, row):
            few = say("advice.launch.fewer-blocks", block=int(at(d.block, row)), cores=int(at(d.cores, row)))
            return (few, say("advice.launch.fuse"), say("advice.launch.graph"))
        host = (say("advice.launch.queue"), say("advice.launch.sync"))
        return (say("advice.launch.fuse"), say("advice.launch.graph"), *(host if detail == "gap" else ()))


def _head(d: Derived) -> Bools:
    return (d.T < INSIDE * d.D) & (d.D < LONGEST_US) & (d.outside <= HEAD_MOST_US)


def _floor(d: Derived) -> Bools:
    more_blocks = known_or(np.maximum(d.block - d.cores, 0), 0)
    return (FLOOR_US + BLOCK_US * more_blocks > d.D) & (d.bounds.bound_us < FLOOR_SHARE * d.D)
