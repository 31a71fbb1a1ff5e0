"""Our themes as Textual's: what its own widgets (palette, input line, notices) are painted with."""

from __future__ import annotations

from textual.theme import Theme

from npuscope.tui import theming

# what Textual's own styles name in a theme of the terminal's colours, and cannot derive from them
ANSI_VARIABLES = {
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "border-blurred": "ansi_default",
    "block-cursor-foreground": "ansi_black",
    "block-cursor-background": "ansi_white",
    "input-cursor-background": "ansi_white",
    "input-cursor-foreground": "ansi_black",
    "input-cursor-text-style": "reverse",
    "input-selection-background": "ansi_white",
    "input-selection-foreground": "ansi_black",
    "screen-selection-background": "ansi_white",
    "screen-selection-foreground": "ansi_black",
}


def textual_theme(palette: theming.Palette) -> Theme:
    """The palette as far as Textual's own widgets (palette, input line, notices) need it."""

    def color(token: str) -> str:
        value = palette.colors[token]
        return value if value.startswith("#") else f"ansi_{value}"

    return Theme(
        name=palette.name,
        primary=color("accent"),
        accent=color("accent"),
        warning=color("warn"),
        error=color("bad"),
        success=color("ok"),
        foreground=color("text"),
        background=color("bg"),
        surface=color("sel"),
        panel=color("sel"),
        dark=palette.dark,
        ansi=palette.ansi,
        variables=ANSI_VARIABLES if palette.ansi else {},
    )
