"""What lies under a folder: its runs, and the folders that this user may not look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem, Say, say

NAMED = 3  # folders of a sentence; the rest are counted


@dataclass(frozen=True)
class Listing:
    """Runs, newest first, and the paths of folders that could not be listed: what they hold is not known."""

    runs: tuple[Run, ...] = ()
    closed: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """That there are closed folders, as one problem."""
        if not self.closed:
            return ()
        return (Problem("permission", closed_folders(self.closed), say("profiles.hint.permission"), self.closed[0]),)


def closed_folders(paths: Sequence[str]) -> Say:
    """How many folders could not be read, and the first of them."""
    names = ", ".join(paths[:NAMED]) + (", …" if len(paths) > NAMED else "")
    return say("profiles.problem.closed-folders" + (".one" if len(paths) == 1 else ""), n=len(paths), names=names)
