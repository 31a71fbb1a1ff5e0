"""Sentences that share a line."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from npuscope.parsers.say import say
from npuscope.tui import text
from npuscope.tui.fitting import fitted

LONG = say("triage.start", name="MatMulV2", label="label.memory.long", us=3500.0, of=22680.0, pct=15.4)
MORE = say("triage.start.all", us=9450.0, pct=41.7)
ENGLISH = [
    (140, "Start with MatMulV2 (memory-bound): at its floor the run gains 3.50 ms of 22.68 ms (15 %). "
          "All operators at their floors: 9.45 ms (42 %)."),
    (116, "Start with MatMulV2 (memory-bound): at its floor the run gains 3.50 ms of 22.68 ms (15 %)."),
    (76, "Start with MatMulV2: at its floor the run gains 3.50 ms (15 %)."),
    (40, "Start with MatMulV2: at its floor the…"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.mark.parametrize(("width", "said"), ENGLISH)
def test_what_matters_most_stays(width, said):
    assert fitted((LONG, MORE), width) == said


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("width", range(20, 140, 7))
def test_nothing_is_wider_than_its_line(language, width):
    text.set_language(language)
    assert cell_len(fitted((LONG, MORE), width)) <= width


def test_no_sentence_is_no_line():
    assert fitted((), 76) == ""
