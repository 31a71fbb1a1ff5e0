"""The help page: complete, true, and found by whoever asks."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events

from npuscope.analysis.labels.judge import RULES
from npuscope.parsers.profile import PIPES
from npuscope.tui import helptext, text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.helptext import FACTS, SECTIONS, entry, found, lay_out, title_of
from npuscope.tui.launch import Options
from npuscope.tui.screens.help import HelpScreen
from npuscope.tui.widgets.helppage import HelpPage
from npuscope.tui.widgets.inputline import InputLine

SRC = str(Path(helptext.__file__).parents[2])


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.set_language("en")
    yield
    text.set_language("en")


# ---- what it says


@pytest.mark.parametrize("name", FACTS)
def test_every_figure_is_the_one_the_code_decides_by(name):
    fact = FACTS[name]
    constant, _, index = fact.name.partition("[")
    value = attrgetter(constant)(importlib.import_module(f"npuscope.{fact.module}"))
    value = value[int(index.rstrip("]"))] if index else value
    if fact.scale < 0:  # ALIKE: "differ by less than"
        assert fact.value == pytest.approx(-fact.scale * (1 - value))
    else:
        assert fact.value == pytest.approx(value * fact.scale)


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_every_figure_is_told_and_no_other_name_is_used(language):
    words = text.load(language)
    pages = [words[f"help.{section}.{name}"] for section, names in SECTIONS.items() for name in names]
    used = set(re.findall(r"\{(\w+):", "\n".join(pages)))
    assert used == set(FACTS)


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_all_words_of_the_page_are_on_it(language):
    words = {key for key in text.load(language) if key.startswith("help.")}
    frame = {"help.title", "help.answer", "help.answer.keys", "help.found", "help.not_found", "help.find"}
    frame |= {"help.find.hint", "help.where"}
    entries = {f"help.{section}.{name}" for section, names in SECTIONS.items() for name in names}
    assert words == frame | entries | {f"help.{section}" for section in SECTIONS}


def terms(section: str) -> str:
    return " ".join(entry(section, name)[0] for name in SECTIONS[section])


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_every_label_and_sub_label_and_pipe_has_its_entry(language):
    text.set_language(language)
    for rule in RULES:
        assert text.t("label." + rule.label) in terms("labels")
        for detail in rule.details:
            assert f"{rule.label}.{detail}" in SECTIONS["labels"]
            assert entry("labels", f"{rule.label}.{detail}")[0] == text.t("detail." + detail)
    for label in ("communication", "ai_cpu", "other", "unknown"):
        assert text.t("label." + label) in terms("labels")
    for pipe in PIPES:
        assert pipe in SECTIONS["pipes"]


HEADS = {
    "live": ("npu", "health", "core", "hbm", "power", "temp", "mhz"),
    "profiles": ("time", "kind", "state", "rank", "ops", "core", "label", "change"),
    "operators": (
        "count", "median_us", "move_us", "aicore_pct", "label", "times_over_bound", "core", "shapes",
        "block_dim", "achieved_gbps", "achieved_tflops", "freq_mhz",
    ),
}  # fmt: skip
PREFIX = {"live": "live.head.", "profiles": "profiles_screen.head.", "operators": "head."}


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("section", HEADS)
def test_every_column_is_explained_under_the_name_that_stands_over_it(section, language):
    text.set_language(language)
    told = terms(section)
    for head in HEADS[section]:
        assert text.t(PREFIX[section] + head, unit="").strip() in told


# ---- how it is laid out


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_line_is_wider_than_the_window_and_nothing_is_lost(width, language):
    text.set_language(language)
    lines = lay_out(width)
    for line in lines:
        x = 2 if line.level < 0 else helptext.text_x(width)
        assert line.title or x + cell_len(line.text) <= width - 2
        assert cell_len(line.term) <= width - 4
    whole = "".join("".join((line.term + line.text).split()) for line in lines)
    for section, names in SECTIONS.items():
        for name in names:
            assert "".join("".join(entry(section, name)).split()) in whole


def test_ascii_stays_ascii_and_as_wide():
    text.set_language("en", True)
    assert all((line.term + line.text).isascii() for line in lay_out(80, True))


def test_find_and_title_of():
    lines = lay_out(120)
    assert lines[title_of(lines, "pipes")].text == text.t("help.pipes")
    assert title_of(lines, "nowhere") == 0
    assert found(lines, "  ") == [] and found(lines, "no such word") == []
    hits = found(lines, "MTE2")
    assert hits and all("mte2" in (lines[at].term + lines[at].text).casefold() for at in hits)


# ---- the screen


class Box(NpuscopeApp):
    FIRST = "profiles"

    def __init__(self) -> None:
        super().__init__(Options(source=None, roots=()), theming.look("dark"))

    def text(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]

    @property
    def page(self) -> HelpPage:
        return self.screen.query_one(HelpPage)


async def settled(pilot) -> None:
    for _ in range(3):
        await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_question_mark_opens_it_at_the_screen_it_came_from_and_closes_it(size):
    app = Box()
    async with app.run_test(size=size) as pilot:
        await pilot.press("question_mark")
        await settled(pilot)
        assert isinstance(app.screen, HelpScreen)
        lines = app.text()
        top = app.page.region.y
        assert lines[top].startswith(f"─ {text.t('help.profiles')} ─")
        assert lines[top - 1].startswith("─ Help ─") and " lines ─" in lines[top - 1]
        assert all(cell_len(line) <= size[0] for line in lines)
        await pilot.press("question_mark")
        await settled(pilot)
        assert app.screen.MODE == "profiles"


async def test_it_moves_by_lines_windows_sections_and_wheel():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark", "home")
        await settled(pilot)
        page = app.page
        assert page.top == 0
        await pilot.press("j", "down")
        assert page.top == 2
        await pilot.press("end")
        assert page.top == page.last_top > 0
        await pilot.press("pageup", "k", "home", "right_square_bracket")
        assert page.page[page.top].title and page.page[page.top].section == "live"
        await pilot.press("left_square_bracket")
        assert page.top == 0
        await pilot._post_mouse_events([events.MouseScrollDown], HelpPage, (20, 3))
        assert page.top == 3


async def test_find_goes_there_while_typing_then_on_with_n_and_esc_ends_it_before_the_page():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark", "slash", *"mte3")
        await settled(pilot)
        page = app.page
        first = page.hit
        assert page.top <= first < page.top + page.size.height
        assert "mte3" in (page.page[first].term + page.page[first].text).casefold()
        assert 'lines with "mte3"' in app.text()[2]
        await pilot.press("enter", "n")
        assert page.hit != first
        await pilot.press("N")
        assert page.hit == first
        await pilot.press("escape")
        await settled(pilot)
        assert page.hit == -1 and isinstance(app.screen, HelpScreen)
        await pilot.press("escape")
        await settled(pilot)
        assert not isinstance(app.screen, HelpScreen)


async def test_a_word_that_is_not_there_is_told():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark", "slash", *"[red]warp")
        await settled(pilot)
        assert app.text()[2] == '▌ Nothing here about "[red]warp"; esc: done.'
        await pilot.press("escape")
        assert not app.screen.query_one(InputLine).is_open
        await settled(pilot)
        assert "warp" not in "".join(app.text())


async def test_a_number_leaves_the_page_behind():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark", "2")
        await settled(pilot)
        assert app.screen.MODE == "profiles"


async def test_a_narrower_window_keeps_the_section():
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("question_mark", *["right_square_bracket"] * 3)
        await settled(pilot)
        section = app.page.page[app.page.top].section
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert app.page.page[app.page.top].section == section and section != "profiles"


def test_the_page_needs_no_numpy():
    code = "import sys, npuscope.tui.screens.help; sys.exit('numpy' in sys.modules or 'pandas' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": SRC}).returncode == 0
    )


@pytest.mark.parametrize(
    ("language", "collectives", "mean"),
    [("en", "collectives that run on the vector cores (AIV) have core counters", "slow cores: it is their mean"),
     ("zh", "在向量核上运行的集合通信（AIV）有核计数器", "部分核偏慢：它是各核的平均")],
)  # fmt: skip
def test_counters_of_collectives_and_the_core_time_are_told_as_they_are(language, collectives, mean):
    text.set_language(language)
    try:
        assert collectives in entry("labels", "comm")[1] and mean in entry("operators", "kernel")[1]
    finally:
        text.set_language("en")
