"""One screen a file; SCREENS lists those with a tab, in the order of their keys.

Factories, because a screen's imports (numpy for the operator table) must not delay the first frame of another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npuscope.tui.commands import Commands
    from npuscope.tui.screens.page import Page


def _live() -> Page:
    from npuscope.tui.screens.live import LiveScreen

    return LiveScreen()


def _profiles() -> Page:
    from npuscope.tui.screens.profiles import ProfilesScreen

    return ProfilesScreen()


def _operators() -> Page:
    from npuscope.tui.screens.operators import OperatorsScreen

    return OperatorsScreen()


def commands() -> type[Commands]:
    """What the palette offers."""
    from npuscope.tui.commands import Commands

    return Commands


SCREENS: tuple[tuple[str, Callable[[], Page]], ...] = (
    ("live", _live),
    ("profiles", _profiles),
    ("operators", _operators),
)
