"""The cores of a call of msprof op in the drill-down, and the vendor's words beside ours."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.profile import Profile, VendorText
from npuscope.parsers.say import say
from npuscope.parsers.table import Strings, Table
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.launch import Options
from npuscope.tui.operators.cores import Cores, balance_sentence, cores_of, heights
from npuscope.tui.operators.words import groups_in_words, vendor_lines, vendor_words
from npuscope.tui.session import Part
from npuscope.tui.widgets.drillcores import CoresPanel

FIXTURES = Path(__file__).parent.parent / "fixtures"
UNEVEN = "msprof/OPPROF_20260522153002_VOLKCJSNUQUHBFUS"
FOUR = "msprof/OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
SEVERAL = "msprof/OPPROF_20260522170000_SEVERALLAUNCHESX"
ROOFLINE = "opprof/roofline/reports/OPPROF_001"
LATER = time.time() + 3600


class OperatorsOnly(NpuscopeApp):
    """The application, starting on the Operators screen, with no feed."""

    FIRST = "operators"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def profile_of(name: str) -> Profile:
    return read_profile(look_at(FIXTURES / name, LATER))


async def drilled(name: str, size: tuple[int, int], *keys: str, ascii_only: bool = False) -> tuple[list[str], bool]:
    """The lines of the drill-down of the first operator, and whether its cores are shown."""
    summary = summarize(profile_of(name))
    app = OperatorsOnly(Options(source=None, roots=()), theming.look("dark", ascii_only))
    async with app.run_test(size=size) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await pilot.pause()
        for key in ("enter", *keys):
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
        return screen_text(app).splitlines(), app.screen.query_one(CoresPanel).display


def at(lines: list[str], start: str) -> int:
    return next(number for number, line in enumerate(lines) if line.startswith(start))


async def test_a_bar_for_each_core_the_slowest_first():
    lines, _ = await drilled(UNEVEN, (120, 36))
    head = at(lines, "─ 32 vector cores, the slowest first, ms ─")
    assert lines[head].endswith("mean 12.18, spread 82 % ─")
    assert lines[head + 1].startswith("  21.14 █ ▇ ▇") and lines[head + 1].count("▇") == 15
    assert lines[head + 5].count("█") == 16 and lines[head + 5].count("▇") == 16
    assert "─ mean 12.18" in lines[head + 3]
    assert lines[head + 6].startswith("      0 ▲ block 0 takes 21.1 ms, 1.74 × the mean")
    assert lines[head + 6].endswith("fastest: block 7, 3.72 ms")
    assert any("balance  spread 82 %; equal work would save 42 %" in line for line in lines)


async def test_folded_where_the_window_is_small():
    lines, _ = await drilled(UNEVEN, (80, 24))
    head = at(lines, "─ 32 vector cores, the slowest first, ms ─")
    assert lines[head + 1].startswith("  " + "█" * 16 + "▁" * 16 + "  ")
    assert lines[head + 1].endswith("block 0 takes 21.1 ms, 1.74 × the mean")
    assert lines[head + 2].startswith("─ Pipes")
    assert max(map(len, lines)) <= 80


async def test_cores_that_work_alike_take_two_lines():
    lines, _ = await drilled(FOUR, (120, 36))
    head = at(lines, "─ 4 vector cores")
    assert lines[head + 1] == "  ████ ████ ████ ████  block 0 takes 724 us, 1.01 × the mean"
    assert any("balance  4 cores alike (spread 2 %)" in line for line in lines)


async def test_ascii():
    lines, _ = await drilled(UNEVEN, (80, 24), ascii_only=True)
    assert all(line.isascii() for line in lines)


async def test_one_call_needs_no_distribution_several_do():
    lines, _ = await drilled(UNEVEN, (120, 36))
    assert not any("1 calls, us" in line for line in lines)
    lines, shown = await drilled(SEVERAL, (120, 36))
    assert shown and any("3 calls, us" in line for line in lines)


async def test_another_call_shows_its_own_cores():
    median, _ = await drilled(SEVERAL, (120, 36))
    moved, _ = await drilled(SEVERAL, (120, 36), "l")
    assert any("block 1 takes 692 us" in line for line in median)
    assert any("takes 343 us" in line for line in moved)


@pytest.mark.parametrize("name", ["msprof/OPPROF_20260608120000_FUSEDCORESXXXXXX", "msprof/pipe_utilization_crlf.csv"])
async def test_no_panel_without_cores(name):
    lines, shown = await drilled(name, (120, 36))
    assert not shown
    assert any("calls, " in line for line in lines)


async def test_the_vendors_words_stand_next_to_ours():
    lines, _ = await drilled(FOUR, (120, 36))
    first = at(lines, "  vendor  ")
    assert lines[first] == '  vendor  "aivector compute usage lower than 20%" (4 of its blocks)'
    assert lines[first + 1] == '          "MTE2 bandwidth utilization lower than 80% when active" (4 of its blocks)'
    lines, _ = await drilled(FOUR, (80, 24))
    assert lines[at(lines, "  vendor  ")].startswith('  vendor  "aivector compute')


def test_the_vendors_class_comes_first():
    assert vendor_lines(profile_of(ROOFLINE), 0) == [
        '"latency bound:pipeline caused" (its roofline class)',
        '"MTE2 bandwidth utilization lower than 80% when active"',
    ]
    assert vendor_lines(profile_of(ROOFLINE), 1) == []


def test_what_the_vendors_counters_say_stands_behind_its_words():
    verdict = Verdict("stall", vendor=(say("vendor.advice", text="latency bound"), say("sentence.join")))
    words = vendor_words(profile_of(ROOFLINE), 0, verdict)
    assert words == [*vendor_lines(profile_of(ROOFLINE), 0), text.t("sentence.join")]


def test_vendor_words_are_text_not_markup_and_carry_no_codes():
    profile = dataclasses.replace(profile_of(ROOFLINE), vendor_verdict=(VendorText(0, "[red]\x1b[31mx", blocks=2),))
    assert vendor_lines(profile, 0) == ['"[red]\ufffd[31mx" (2 of its blocks)']


def test_many_metric_groups_are_counted():
    assert [groups_in_words(text) for text in (None, "Memory", "PipeUtilization, Memory", "A, B, C")] == [
        None, "Memory", "PipeUtilization, Memory", "3 metric groups",
    ]  # fmt: skip


# ---- without a screen


def made(*times: float) -> Cores:
    return Cores("aiv", np.array(times), tuple(f"block {n}" for n in range(len(times))))


@pytest.mark.parametrize(
    ("times", "spread", "evenness"),
    [
        ((10.0, 10.0), 0.0, "even"),
        ((10.0,) * 47 + (6.3,), 0.37, "even"),
        ((10.0, 8.0), 0.2, "uneven"),
        ((10.0, 2.0), 0.8, "bad"),
    ],
)
def test_evenness_is_what_equal_work_would_save(times, spread, evenness):
    cores = made(*times)
    assert (cores.spread, cores.evenness) == (pytest.approx(spread), evenness)
    assert f"{100 * spread:.0f} %" in balance_sentence(cores)


def test_cores_of_a_mixed_kernel_are_those_of_the_longer_side():
    summary = summarize(profile_of("msprof/OPPROF_20260609120000_NEWNAMESXXXXXXXX"))
    cores = cores_of(summary, 0)
    assert (cores.side, cores.times_us.tolist(), cores.names) == ("aic", [20.0, 16.0], ("block 0", "block 1"))
    table = summary.profile.cores
    only_vectors = table.take(table.strings("side").mask(("aiv",)))
    vectors = dataclasses.replace(summary.profile, cores=only_vectors)
    found = cores_of(dataclasses.replace(summary, profile=vectors), 0)
    assert found.names == ("block 0 vector0", "block 0 vector1", "block 1 vector0", "block 1 vector1")
    assert cores_of(dataclasses.replace(summary, profile=vectors), 1) is None


def test_one_core_has_nothing_to_be_compared_with():
    summary = summarize(profile_of(FOUR))
    one = Table({"op": np.array([0]), "side": Strings.of(["aiv"]), "time_us": np.array([5.0])})
    assert cores_of(dataclasses.replace(summary, profile=dataclasses.replace(summary.profile, cores=one)), 0) is None


@pytest.mark.parametrize(
    ("count", "bar", "gap"), [(2, 4, 1), (10, 4, 1), (30, 2, 1), (48, 1, 0), (94, 1, 0), (5000, 1, 0)]
)
def test_bars_fit_their_cells(count, bar, gap):
    times = np.linspace(10.0, 5.0, count)
    values, width, between = heights(times, 94)
    assert (width, between) == (bar, gap)
    assert len(values) * (width + between) <= 94 + gap
    assert values[0] == 1000 and values == sorted(values, reverse=True)
