"""Which runs a person has marked, and in which order: what joins or compares runs takes them from here. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from npuscope.parsers.profile import Run


class Marks:
    """Marked runs by their paths, the first marked first."""

    def __init__(self) -> None:
        self._paths: list[str] = []

    def __len__(self) -> int:
        return len(self._paths)

    def toggle(self, run: Run) -> bool:
        """Mark a run, or take its mark away; whether it is marked now."""
        if run.path in self._paths:
            self._paths.remove(run.path)
            return False
        self._paths.append(run.path)
        return True

    def place(self, run: Run) -> int:
        """Its place among the marked runs, from 1; 0 when it is not marked."""
        return self._paths.index(run.path) + 1 if run.path in self._paths else 0

    def runs(self, there: Iterable[Run]) -> tuple[Run, ...]:
        """The marked runs as they lie on disk now; what is gone is forgotten."""
        by_path = {run.path: run for run in there}
        self._paths = [path for path in self._paths if path in by_path]
        return tuple(by_path[path] for path in self._paths)

    def clear(self) -> bool:
        """No marks; whether there were any."""
        had = bool(self._paths)
        self._paths = []
        return had
