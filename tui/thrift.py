"""Fewer bytes to the terminal: a colour that is already set is not set again.

Textual ends every run of cells with a reset and begins the next one by naming both colours: some 40 bytes for a number
of three digits. Within one write the same cells come out when a style is named only where it changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from textual.drivers.linux_driver import LinuxDriver

RESET = "\x1b[0m"
# colours and weights | any other control sequence of a screen | text
_PIECES = re.compile(r"\x1b\[([0-9;]*)m|(\x1b\[[0-?]*[ -/]*[@-~]|\x1b[^\[])|([^\x1b]+)")
# these paint nothing, or only say where the next cell is
_MOVES = re.compile(r"\x1b\[(?:[0-9;]*[HABCDGdf]|\?[0-9;]*[hl])")
# Textual ends every run of cells with a line feed and begins the next one by naming its place
_NEEDLESS = re.compile(r"\n(?=\x1b\[[0-9]+;[0-9]+H)")
# strings to the terminal (titles, links): their text is no cell
_STRINGS = ("\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX")


@dataclass(frozen=True)
class Pen:
    """What the terminal would paint with; "" = its own default."""

    flags: tuple[str, ...] = ()
    ink: str = ""
    paper: str = ""

    def after(self, before: Pen) -> str:
        """The sequence that makes this pen of the one before."""
        takes_back = (before.ink and not self.ink) or (before.paper and not self.paper)
        if self.flags != before.flags or takes_back:
            return f"\x1b[{';'.join(part for part in ('0', *self.flags, self.ink, self.paper) if part)}m"
        changed = [now for now, old in ((self.ink, before.ink), (self.paper, before.paper)) if now != old]
        return f"\x1b[{';'.join(changed)}m" if changed else ""


NOTHING = Pen()


@lru_cache(maxsize=512)
def with_style(pen: Pen, style: str) -> Pen:
    """The pen after one more style sequence."""
    codes = style.split(";")
    flags, ink, paper = pen.flags, pen.ink, pen.paper
    while codes:
        code = codes.pop(0)
        if code in ("", "0"):
            flags, ink, paper = (), "", ""
            continue
        if code in ("38", "48"):
            length = 4 if codes[:1] == ["2"] else 2
            code, codes = ";".join([code, *codes[:length]]), codes[length:]
        number = int(code.split(";")[0])
        if 30 <= number <= 39 or 90 <= number <= 97:
            ink = "" if number == 39 else code
        elif 40 <= number <= 49 or 100 <= number <= 107:
            paper = "" if number == 49 else code
        else:
            flags = (*flags, code)
    return Pen(flags, ink, paper)


def thrifty(data: str) -> str:
    """The same cells in fewer bytes. Nothing is set before and after, as Textual leaves it."""
    if "\x1b[" not in data or any(begin in data for begin in _STRINGS):
        return data
    out: list[str] = []
    wanted = named = NOTHING
    for style, control, text in _PIECES.findall(data):
        if text:
            if text != "\n" and wanted != named:
                out.append(wanted.after(named))
                named = wanted
            out.append(text)
        elif control:
            if wanted != named and not _MOVES.fullmatch(control):
                out.append(wanted.after(named))
                named = wanted
            out.append(control)
        else:
            wanted = with_style(wanted, style)
    if named != NOTHING:
        out.append(RESET)
    return _NEEDLESS.sub("", "".join(out))


class ThriftyDriver(LinuxDriver):
    """The terminal, written to with fewer bytes."""

    _away = False

    def suspend_application_mode(self) -> None:
        self._away = True
        super().suspend_application_mode()

    def resume_application_mode(self) -> None:
        # a connection that drops sends SIGCONT too: nothing was suspended then, and no terminal is left to start again
        if self._away:
            self._away = False
            super().resume_application_mode()

    def write(self, data: str) -> None:
        super().write(thrifty(data))
