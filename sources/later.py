"""A live source that is made when it is started: what it imports must not delay the first frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npuscope.parsers.readings import Reading
    from npuscope.sources.source import Callback, Source


class LaterSource:
    """Stands for the source that `make` makes."""

    def __init__(self, make: Callable[[], Source]) -> None:
        self._make = make
        self._source: Source | None = None

    def lead(self) -> list[Reading]:
        """Readings from before the start."""
        return self._made().lead()

    def start(self, callback: Callback) -> None:
        """Begin."""
        self._made().start(callback)

    def stop(self) -> None:
        """End, if it has begun."""
        if self._source is not None:
            self._source.stop()

    def _made(self) -> Source:
        if self._source is None:
            self._source = self._make()
        return self._source
