"""How many lines each panel of the Live screen gets. Decided by the window and the number of chips only: processes and
runs that come and go move nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

ROOMY = 30  # rows from which blank lines stand between panels
PLOT_FROM = 34
PLOT = 6  # rule, four lines of plot, axis
FRAME, ROOMY_FRAME = 4, 6  # tabs, answer and keys; with the blank lines around them
HEADS = 2  # rule and head line of a table
FEWEST_CHIPS = 8


@dataclass(frozen=True)
class Heights:
    """Lines of each panel with its rule and head; 0 = not shown."""

    chips: int
    plot: int
    processes: int
    profiles: int


def share(rows: int, chips: int, cards: bool) -> Heights:
    """The lines of a window of `rows` lines for `chips` rows of chips; the plot goes before a chip does."""
    with_plot = rows >= PLOT_FROM
    heights = _share(rows, max(1, chips), cards, with_plot)
    if with_plot and heights.chips < HEADS + chips:
        heights = _share(rows, max(1, chips), cards, False)
    return heights


def _share(rows: int, chips: int, cards: bool, with_plot: bool) -> Heights:
    roomy = rows >= ROOMY
    plot = PLOT if with_plot else 0
    gaps = (3 if plot else 2) + 1 if roomy else 1  # the last one stands over the keys
    room = rows - (ROOMY_FRAME if roomy else FRAME) - plot - gaps
    listed, runs, fewest = (3, 3, 3) if cards else (4, 3, 2)
    over = room - (HEADS + chips) - (HEADS + listed) - (1 + runs)
    while over < 0 and (listed > 2 or runs > 1):
        if runs > fewest or listed == 2:
            runs -= 1
        else:
            listed -= 1
        over += 1
    if over < 0:
        chips = max(min(chips, FEWEST_CHIPS), chips + over)
    else:
        more = min(2, over // 3)
        runs, listed = runs + more, listed + over - more
    return Heights(HEADS + chips, plot, HEADS + listed, 1 + runs)


def maximised(rows: int, panel: str) -> Heights:
    """All lines for one panel."""
    roomy = rows >= ROOMY
    room = rows - (ROOMY_FRAME if roomy else FRAME) - 1
    return Heights(*(room if name == panel else 0 for name in ("chips", "plot", "processes", "profiles")))


def without_chips(rows: int) -> Heights:
    """No reading at all: a few lines say why, the rest is for the profiles."""
    roomy = rows >= ROOMY
    room = rows - (ROOMY_FRAME + 2 if roomy else FRAME + 1)
    why = HEADS + 4
    return Heights(why, 0, 0, max(2, room - why))
