"""Why, what next and what would tell more, in the lines a narrow window has."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, shapes
from rich.cells import cell_len

from npuscope.analysis.labels.verdict import Lack
from npuscope.parsers.say import say
from npuscope.tui import text
from npuscope.tui.operators.words import lack_words
from npuscope.tui.widgets.drilladvice import run_on, whole
from npuscope.tui.widgets.opdetail import row_and_verdict

WIDTH = 68  # of a sentence in a window of 80 columns
LACK = {
    "en": "ArithmeticUtilization tells: which number types it uses (command: ?)",
    "zh": "ArithmeticUtilization 可答：以哪种数据类型计算（? 有命令）",
}


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.fixture(scope="module")
def verdict():
    rows = [op(110.0 * at, 100.0, **cube(mac=0.95), **shapes("1024,2560;2560,2560", "1024,2560")) for at in range(5)]
    return row_and_verdict(look(*rows, chip="910B3"), "types", 0)[0]


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_a_command_is_whole_where_there_is_room(verdict, language):
    text.set_language(language)
    shown = " ".join(line for _, line in run_on(verdict, WIDTH, (), 20))
    assert verdict.lacks[0].command in shown
    assert LACK[language] not in shown


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("room", [3, 4])
def test_where_there_is_none_the_key_to_it_stands_in_its_place(verdict, language, room):
    text.set_language(language)
    entries = run_on(verdict, WIDTH, (), room)
    assert len(entries) <= room
    assert entries[-1] == ("lacks", LACK[language])
    assert [name for name, _ in entries if name] == ["why", "next", "lacks"]


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize(
    ("group", "question"),
    [("ArithmeticUtilization", "types"), ("ResourceConflictRatio", "conflicts"), ("PipeUtilization", "pipes"),
     ("L2Cache", "rereads"), ("Memory", "bytes"), ("Roofline", "vendor")],
)  # fmt: skip
def test_what_a_group_would_tell_has_one_line_at_80_columns(group, question, language):
    text.set_language(language)
    assert cell_len(lack_words(Lack(group, say(f"lack.{question}"), "msprof"))) <= WIDTH


def test_a_long_sentence_of_a_wide_window_goes_on_where_there_is_room():
    entries = [("why", "short"), ("next", "1  " + "word " * 9 + "end"), ("", "2  other")]
    lines = whole(entries, 30, 4)
    assert lines == [
        ("why", "short"), ("next", "1  word word word word word"), ("", "   word word word word end"), ("", "2  other")
    ]  # fmt: skip
    assert whole(entries, 30, 3) == entries
