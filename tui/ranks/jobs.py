"""What the child process does for the ranks; runs there, never in the application's own process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from npuscope.analysis.ranks import against as rank_against
from npuscope.analysis.ranks.against import RankOperators
from npuscope.analysis.ranks.times import RankTimes, read_rank
from npuscope.parsers.profile import Run


def rank_times(run: Run) -> tuple[RankTimes, ...]:
    """What a rank's time was made of."""
    return read_rank(run)


def rank_operators(
    own: Run, others: Sequence[Run], late_by_pct: float | None, progress: Callable[[float], None] | None = None
) -> RankOperators:
    """A rank's operators against those of the others."""
    return rank_against.against(own, others, late_by_pct, progress)
