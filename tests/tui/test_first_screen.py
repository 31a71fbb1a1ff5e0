"""The Live screen of a box where something is missing: no NPU, no profile, no process, no first reading yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.tui.messages import RunsFound
from npuscope.tui.widgets.inputline import InputLine


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_first_contact(live, size):
    async with live.shown(size, made=None, runs=()) as (app, pilot):
        await live.missing(app, pilot)
        whole = "\n".join(app.text())
        assert "▌ This box has no NPU, and this folder holds no profile." in whole
        assert "─ What was looked for ─" in whole and "─ Chips" not in whole
        assert "d demo" in app.text()[-1] and "o open" in app.text()[-1]
        await pilot.press("d", "r")
        assert app.asked == ["demo", "rescan"]


async def test_a_path_that_is_not_there_is_one_sentence(live):
    async with live.shown(made=None, runs=()) as (app, pilot):
        await live.missing(app, pilot)
        await pilot.press("o", *"/no/such", "enter")
        await live.settled(pilot)
        assert "/no/such" in "\n".join(app.text()[:5])
        assert not app.screen.query_one(InputLine).is_open


async def test_first_contact_ends_when_a_profile_appears(live):
    async with live.shown(made=None, runs=()) as (app, pilot):
        await live.missing(app, pilot)
        app.post_message(RunsFound((live.run(2),), "events"))
        await live.settled(pilot)
        whole = "\n".join(app.text())
        assert "What was looked for" not in whole
        assert "npu-smi is not on this box" in whole and "PROF_000002" in whole
        app.source.say(live.eight(live.NOW))
        await live.settled(pilot)
        assert len(app.labels()) == 8


async def test_waiting_for_the_first_reading(live):
    async with live.shown(made=None) as (app, _):
        whole = "\n".join(app.text())
        assert "Waiting for the first reading of npu-smi." in whole
        assert "PROF_000002" in whole


async def test_no_profile_yet_says_what_fills_the_panel(live):
    async with live.shown(runs=()) as (app, _):
        assert "No profile in /data/prof yet." in "\n".join(app.text())


async def test_no_process_says_why_it_may_look_empty(live):
    async with live.shown(made=lambda at: replace(live.eight(at), processes=(), local={})) as (app, _):
        assert "No process holds NPU memory." in "\n".join(app.text())


async def test_keys_do_no_harm_where_there_is_nothing(live):
    async with live.shown(made=None, runs=()) as (app, pilot):
        for key in ("s", "S", "r", "enter", "j", "k", "pagedown", "end", "space", "M", "M", "p", "p", "tab", "escape"):
            await pilot.press(key)
        await live.missing(app, pilot)
        for key in ("s", "space", "slash", "enter", "tab", "M", "p", "escape"):
            await pilot.press(key)
        await live.settled(pilot)
        assert app.return_code is None
