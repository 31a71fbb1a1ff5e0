"""How far a reading is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]  # is told the share that is done, 0 to 1


def part_of(progress: Progress | None, number: int, of: int) -> Progress | None:
    """The progress of part `number` (from 0) of `of` equal parts."""
    return None if progress is None else lambda share: progress((number + share) / of)
