"""What every live source is to the rest of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from npuscope.parsers.readings import Reading

Callback = Callable[[Reading], None]


class Source(Protocol):
    """Readings, one after another, from a thread of the source's own."""

    def lead(self) -> list[Reading]:
        """Readings from before the start, oldest first: a recording has them, a live tool has none."""

    def start(self, callback: Callback) -> None:
        """Begin; each reading is handed to `callback` in the source's thread. A source is started once."""

    def stop(self) -> None:
        """End within 0.3 s, whatever is going on; nothing is called back or left running afterwards."""
