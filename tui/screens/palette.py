"""The palette in this house's look: no border, no emoji, one line a command, in the reader's language."""

from __future__ import annotations

from textual.command import CommandPalette, SearchIcon

from npuscope.tui.text import t


class Palette(CommandPalette):
    """Textual's palette over our commands."""

    DEFAULT_CSS = """
    Palette { background: $background 60%; }
    Palette #--container { width: 76; margin-top: 3; }
    Palette #--input { border: none; height: 1; background: $surface; padding: 0 1; }
    Palette #--input.--list-visible { border: none; }
    Palette SearchIcon { margin: 0; width: 2; color: $accent; }
    Palette #--input Input, Palette #--input Input:focus { height: 1; border: none; padding: 0; background: $surface; }
    Palette CommandList, Palette CommandList:focus {
        border: none; padding: 0 1; scrollbar-size: 0 0; background: $surface;
    }
    Palette #--results { overlay: screen; }
    Palette LoadingIndicator { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(placeholder=t("palette.placeholder"), id="--command-palette")

    def on_mount(self) -> None:
        # a sign every font and terminal has
        self.query_one(SearchIcon).icon = ">"
