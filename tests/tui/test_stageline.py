"""Preparation, kernels and copies over the operator table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_profile import made_summary

from npuscope.analysis.indicators import Stages
from npuscope.parsers.say import say
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.launch import Options
from npuscope.tui.session import Part


class OperatorsOnly(NpuscopeApp):
    """The application, starting on the Operators screen, with no feed."""

    FIRST = "operators"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"))


async def line(summary, size=(120, 40), language="en", beginning="preparation"):
    text.set_language(language)
    app = OperatorsOnly(Options(source=None, roots=()), theming.look("dark", False))
    async with app.run_test(size=size) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await pilot.pause()
        await pilot.pause()
        return next((found for found in screen_text(app).splitlines() if beginning in found), "")


async def test_the_three_shares_and_ai_core(summary):
    stages = Stages(340.0, 600.0, 60.0, say("indicator.preparation", pct=34.0, limit=30.0))
    found = await line(replace(summary, stages=stages))
    assert "preparation 34 %" in found and "kernels 60 %" in found and "copies 6 %" in found and "AI Core 93 %" in found
    assert found.count("╂") == 2  # both bars reach their marks
    assert len(found) <= 118


async def test_below_the_mark_the_tick_stands_on_the_track(summary):
    found = await line(replace(summary, stages=Stages(100.0, 880.0, 20.0)))
    assert "preparation 10 %" in found and "┼" in found


@pytest.mark.parametrize(("language", "said"), [("en", "No host calls"), ("zh", "没有主机调用数据")])
async def test_without_host_calls_it_says_so_and_names_the_command(summary, language, said):
    found = await line(summary, (160, 40), language, said)
    assert "--ascendcl=on" in found and "AI Core 93 %" in found


async def test_low_windows_have_no_room_for_what_is_not_known(summary):
    assert not await line(summary, (80, 24), beginning="No host calls")


async def test_low_windows_show_both_marks(summary):
    low = replace(summary, totals=replace(summary.totals, aicore_pct=12.0))
    found = await line(replace(low, stages=Stages(650.0, 340.0, 10.0)), (80, 24))
    assert "preparation 65 % ━━━━━━╂━━━━━━─" in found
    assert "AI Core 12 %" in found and "┼" in found.partition("AI Core")[2]
    assert len(found.rstrip()) <= 80
    assert "AI Core 12 %" in await line(low, (80, 24), beginning="AI Core 12 % ━")  # the mark alone is worth it too
