"""The signs bars, histories and rules are drawn with; one set for Unicode, one for LANG=C."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Glyphs:
    """One set. Every sign is one cell wide; `levels` are for one-row histories, `blocks` for plots of several rows."""

    full: str
    half: str
    track: str
    levels: str
    blocks: str
    rule: str
    mark: str
    up: str
    down: str
    dash: str
    cut: str
    times: str
    degree: str
    tick_on_track: str
    tick_on_bar: str
    pointer: str
    arrow: str


UNICODE = Glyphs(
    full="━", half="╸", track="─", levels="▁▂▃▄▅▆▇", blocks=" ▁▂▃▄▅▆▇█", rule="─", mark="▌", up="▲", down="▼", dash="–",
    cut="…", times="×", degree="°", tick_on_track="┼", tick_on_bar="╂", pointer="▲", arrow="→",
)  # fmt: skip
ASCII = Glyphs(
    full="#", half="#", track=".", levels="_.--==#", blocks=" ....####", rule="-", mark=">", up="^", down="v", dash="-",
    cut="~", times="x", degree="", tick_on_track="+", tick_on_bar="+", pointer="^", arrow="->",
)  # fmt: skip
