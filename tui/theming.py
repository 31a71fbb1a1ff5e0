"""Themes: TOML files of named colours, and the `Look` that widgets paint with. Imports no Textual."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.style import Style

from npuscope import themes
from npuscope.tui import glyphs
from npuscope.tui.glyphs import Glyphs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(themes.__file__).parent
HUES = ("memory", "compute", "launch", "access", "stall", "communication")
TOKENS = (
    "bg", "sel", "text", "bright", "dim", "faint", "neutral", "hist", "accent", "ok", "warn", "bad", "ink", *HUES
)  # fmt: skip


class ThemeError(Exception):
    """A theme file that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Palette:
    """One theme: a colour per token, as #rrggbb or as a name of the terminal's own palette (`ansi`)."""

    name: str
    dark: bool
    ansi: bool
    colors: Mapping[str, str]
    ramp: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """What widgets paint with: colours and signs."""

    palette: Palette
    glyphs: Glyphs = glyphs.UNICODE
    _styles: dict[tuple[str, bool, bool, str], Style] = field(default_factory=dict, compare=False, repr=False)

    @property
    def ascii(self) -> bool:
        """Only characters below 128 may be drawn."""
        return self.glyphs is glyphs.ASCII

    @property
    def mono(self) -> bool:
        """No colour: selection and kind of an answer need a sign."""
        return self.palette.colors["accent"] == "default"

    @cached_property
    def true_colors(self) -> bool:
        """Whether every colour is one of 24 bits, none of the terminal's own."""
        return all(color.startswith("#") for color in (*self.palette.colors.values(), *self.palette.ramp))

    def style(self, token: str, bold: bool = False, selected: bool = False, on: str = "") -> Style:
        """The style of a token: `bright` is always bold; labels without a hue of their own are dim (mixed: text)."""
        key = (token, bold, selected, on)
        style = self._styles.get(key)
        if style is None:
            color = self.palette.colors.get(token) or token
            background = self.palette.colors[on] if on else self.palette.colors["sel" if selected else "bg"]
            # on the terminal's own background no background is named at all
            style = Style(
                color=color, bgcolor=None if background == "default" else background, bold=bold or token == "bright"
            )
            self._styles[key] = style
        return style

    def hue(self, label: str) -> str:
        """The token that colours a label."""
        return label if label in HUES else "text" if label == "mixed" else "dim"

    def heat(self, pct: float) -> str:
        """The ramp colour of a utilization."""
        ramp = self.palette.ramp
        return ramp[0] if pct <= 0 else ramp[1] if pct < 40 else ramp[2] if pct < 80 else ramp[3]


def names() -> tuple[str, ...]:
    """The themes there are, the default first."""
    found = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return ("dark", *(name for name in found if name != "dark"))


def read(name: str) -> Palette:
    """The theme of that name. Raises ThemeError."""
    path = FOLDER / f"{name}.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ThemeError(f"no theme {name!r}; there are: {', '.join(names())}") from None
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{path.name}: {error}") from None
    colors = {**data.get("colors", {}), **data.get("labels", {})}
    missing = [token for token in TOKENS if token not in colors]
    if missing:
        raise ThemeError(f"{path.name} lacks {', '.join(missing)}")
    return Palette(name, bool(data.get("dark", True)), bool(data.get("ansi", False)), colors, tuple(data["ramp"]))


def look(name: str, ascii_only: bool = False) -> Look:
    """The look of a theme."""
    return Look(read(name), glyphs.ASCII if ascii_only else glyphs.UNICODE)


def default_name(environ: Mapping[str, str], colors: str | None) -> str:
    """mono under NO_COLOR or where the terminal has no colour, ansi at 16 colours, else dark."""
    if environ.get("NO_COLOR") or colors is None:
        return "mono"
    return "ansi" if colors == "standard" else "dark"
