"""What comes out of the terminal is the same, cell by cell."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from npuscope.tui import thrift
from npuscope.tui.thrift import ThriftyDriver, thrifty

Cell = tuple[str, frozenset[str], str, str]


def painted(data: str) -> dict[tuple[int, int], Cell]:
    """The cells of a small terminal that knows moves, styles, erasing to the end of a line and line feeds."""
    cells: dict[tuple[int, int], Cell] = {}
    x = y = 0
    flags: frozenset[str] = frozenset()
    ink = paper = ""
    for params, kind, text in re.findall(r"\x1b\[([?0-9;]*)([A-Za-z])|([^\x1b]+)", data):
        if kind == "H":
            y, x = (int(number) for number in params.split(";")) if params else (1, 1)
        elif kind == "m":
            codes = params.split(";") if params else ["0"]
            while codes:
                code = codes.pop(0)
                if code in ("38", "48"):
                    length = 4 if codes[0] == "2" else 2
                    color, codes = ";".join(codes[:length]), codes[length:]
                    ink, paper = (color, paper) if code == "38" else (ink, color)
                elif code in ("0", ""):
                    flags, ink, paper = frozenset(), "", ""
                elif 30 <= int(code) <= 37:
                    ink = code
                elif 40 <= int(code) <= 47:
                    paper = code
                else:
                    flags |= {code}
        elif kind == "K":
            for column in range(x, 90):
                cells[y, column] = (" ", frozenset(), "", paper)
        for letter in text:
            if letter == "\n":
                y += 1
                continue
            cells[y, x] = (letter, flags, ink, paper)
            x += 1
    cells[0, 0] = ("", flags, ink, paper)  # what is left set at the end counts too
    return cells


INK = ["38;2;218;218;218", "38;2;95;215;215", "38;5;80", "31", ""]
PAPER = ["48;2;28;28;28", "48;2;48;48;48", "44", ""]
styles = st.builds(
    lambda bold, ink, paper: ";".join(part for part in (bold, ink, paper) if part),
    st.sampled_from(["1", "", "7"]), st.sampled_from(INK), st.sampled_from(PAPER),
)  # fmt: skip
runs = st.builds(
    lambda style, text: f"\x1b[{style}m{text}\x1b[0m" if style else text,
    styles, st.text("ab ━▇7", min_size=1, max_size=6),
)  # fmt: skip
moves = st.builds(lambda y, x: f"\x1b[{y};{x}H", st.integers(1, 9), st.integers(1, 60))
erasing = st.sampled_from(["\x1b[K", "\n", "\x1b[?25l", "\x1b[32m", "\x1b[44m"])
screens = st.lists(st.one_of(runs, moves, erasing), max_size=30).map("".join)


@given(screens)
def test_the_same_cells(data):
    # whatever was set is off again at the end, as it is where Textual stops
    assert painted(thrifty(data)) == painted(data + "\x1b[0m")


@given(screens)
def test_doing_it_twice_changes_nothing(data):
    once = thrifty(data)
    assert painted(thrifty(once)) == painted(once)


def test_a_style_is_named_where_it_changes():
    text, dim = "\x1b[38;2;218;218;218;48;2;28;28;28m", "\x1b[38;2;168;168;168;48;2;28;28;28m"
    data = f"\x1b[7;17H{text} 97\x1b[0m\x1b[8;17H{text} 98\x1b[0m\x1b[9;17H{dim}OK\x1b[0m"
    assert thrifty(data) == f"\x1b[7;17H{text} 97\x1b[8;17H 98\x1b[9;17H\x1b[38;2;168;168;168mOK\x1b[0m"


def test_a_line_feed_before_a_place_is_left_out():
    assert thrifty("\x1b[7;17H97\n\x1b[8;17H98\n99") == "\x1b[7;17H97\x1b[8;17H98\n99"


def test_strings_to_the_terminal_are_left_alone():
    link = "\x1b]8;;http://x\x1b\\\x1b[1mx\x1b[0m\x1b]8;;\x1b\\"
    assert thrifty(link) == link


def test_a_signal_to_go_on_starts_nothing_that_was_not_suspended(monkeypatch):
    did = []
    monkeypatch.setattr(thrift.LinuxDriver, "suspend_application_mode", lambda self: did.append("suspend"))
    monkeypatch.setattr(thrift.LinuxDriver, "resume_application_mode", lambda self: did.append("resume"))
    driver = ThriftyDriver.__new__(ThriftyDriver)
    driver.resume_application_mode()  # as when the connection drops
    assert did == []
    for _ in range(2):
        driver.suspend_application_mode()
        driver.resume_application_mode()
    driver.resume_application_mode()
    assert did == ["suspend", "resume"] * 2
