"""Widgets that are not sent again because they were laid out again.

Textual paints all of a widget anew when its size, place or contents change, and once more with the layout that follows;
for a container that is everything in it. At the start that is the whole screen three times over.
"""

from __future__ import annotations

from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.widget import Widget


class Still(Widget):
    """A widget for which the layout's own painting is enough."""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Still:
        """As Textual's, but a new layout paints only what has another place or size then."""
        return super().refresh(*regions, repaint=repaint and not layout, layout=layout, recompose=recompose)


# the container comes first: Textual takes the styles of the first base alone


class StillVertical(Vertical, Still):
    """Widgets one below the other."""


class StillHorizontal(Horizontal, Still):
    """Widgets side by side."""
