"""When to speak of a change: soon after the first, not too often while it goes on, and again when it is over."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

GATHER_S = 0.02
SPACING_S = 1.0


@dataclass
class _Change:
    first: float
    last: float
    told: float = -math.inf
    untold: bool = True
    settled: int = 0


class Quiet(Generic[Key]):
    """Changes per key; holds no thread and no clock: every `now` is handed in, in seconds that never go back.

    `settles` = the seconds after the last change, rising, when to speak once more.
    """

    def __init__(self, *settles: float) -> None:
        self.settles = settles
        self.spacing_s = SPACING_S
        self._changes: dict[Key, _Change] = {}

    def touch(self, key: Key, now: float) -> None:
        """Something of `key` changed."""
        change = self._changes.get(key)
        if change is None:
            self._changes[key] = _Change(now, now)
            return
        if not change.untold:
            change.first, change.untold = now, True
        change.last, change.settled = now, 0

    def expect(self, key: Key, now: float) -> None:
        """Nothing new of `key`, but it may still be in the writing: speak of it when it has settled."""
        self._changes.setdefault(key, _Change(now, now, told=now, untold=False))

    def due(self, now: float) -> list[Key]:
        """The keys to speak of now."""
        keys = [key for key, change in self._changes.items() if self._at(change) <= now]
        for key in keys:
            change = self._changes[key]
            change.settled += not change.untold
            change.told, change.untold = now, False
            if change.settled == len(self.settles):
                del self._changes[key]
        return keys

    def next_at(self) -> float:
        """When `due` will have something; infinity when nothing waits."""
        return min((self._at(change) for change in self._changes.values()), default=math.inf)

    def _at(self, change: _Change) -> float:
        if change.untold:
            return max(change.first + GATHER_S, change.told + self.spacing_s)
        return change.last + self.settles[change.settled]
