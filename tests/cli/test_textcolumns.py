"""Plain text in lines: nothing is lost, no word is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from npuscope.cli.printing.textcolumns import cut, cut_front, hanging, narrowed, width
from npuscope.tui import text
from npuscope.tui.breaking import pieces


@given(st.text(max_size=200), st.integers(6, 60))
def test_a_hanging_sentence_cuts_no_word_and_loses_none(sentence: str, page: int):
    sentence = text.clean(sentence)
    lines = hanging(sentence, "  ", page)
    words = "".join(sentence.split())
    assert "".join("".join(lines).split()) == words
    wider = [line.strip() for line in lines if width(line) > page]
    # wider than the page is only what has no place to break
    assert all(list(pieces(line, page - 2, width, whole=True)) == [line] for line in wider)


def test_the_later_lines_of_a_hanging_sentence_are_indented_and_a_path_stays_whole():
    lines = hanging("read /data/run42/ASCEND_PROFILER_OUTPUT/kernel_details.csv again", "  ", 24)
    assert lines == ["  read", "    /data/run42/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "    again"]


def test_spare_columns_go_one_by_one_until_the_line_fits():
    rows = [["type", "count", "move"], ["MatMul", "12", "1.5"]]
    assert narrowed(rows, None, [2, 1]) == narrowed(rows, 19, [2, 1]) == [0, 1, 2]
    assert narrowed(rows, 18, [2, 1]) == [0, 1]
    assert narrowed(rows, 3, [2, 1]) == [0]


def test_a_text_is_cut_at_either_end_and_a_very_long_one_at_once():
    assert cut("MatMulV2", 8) == "MatMulV2" == cut_front("MatMulV2", 8)
    assert cut("MatMulV2Common", 8) == "MatMulV…" and cut_front("MatMulV2Common", 8) == "…2Common"
    assert cut("矩阵乘法", 6) == "矩阵…" and cut_front("矩阵乘法", 6) == "…乘法"
    endless = "x" * 2_000_000
    assert cut(endless, 30) == "x" * 29 + "…" and cut_front(endless, 30) == "…" + "x" * 29
