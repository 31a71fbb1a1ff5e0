"""One screen a file; SCREENS lists those with a tab, in the order of their keys."""

from __future__ import annotations

from npuscope.tui.screens.live import LiveScreen
from npuscope.tui.screens.operators import OperatorsScreen
from npuscope.tui.screens.page import Page
from npuscope.tui.screens.profiles import ProfilesScreen

SCREENS: tuple[type[Page], ...] = (LiveScreen, ProfilesScreen, OperatorsScreen)
