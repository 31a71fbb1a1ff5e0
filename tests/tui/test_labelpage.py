"""`?` on a row: the page behind a label."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, shapes, vector
from made_profile import made_summary
from rich.cells import cell_len

from npuscope.analysis.labels import judge
from npuscope.analysis.rules.conditions import Applied
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.helptext import text_x
from npuscope.tui.launch import Options
from npuscope.tui.operators.labeltext import condition_words, lay_out
from npuscope.tui.screens.help import HelpScreen
from npuscope.tui.screens.label import LabelScreen
from npuscope.tui.session import Part
from npuscope.tui.widgets.opdetail import row_and_verdict

PRODUCT = shapes("1024,2560;2560,2560", "1024,2560")


class OperatorsOnly(NpuscopeApp):
    """The application, starting on the Operators screen, with no feed."""

    FIRST = "operators"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def page(summary, level="types", row=0, width=120):
    verdict, values = row_and_verdict(summary, level, row)
    return lay_out(summary, level, row, values, verdict, width)


def said(lines, section):
    return [(line.term, line.text) for line in lines if line.section == section and not line.title]


def tiling():
    return look(*(op(110.0 * at, 100.0, **cube(mte2=0.96, mac=0.5), **PRODUCT) for at in range(5)), chip="910B3")


def test_every_condition_has_its_words():
    for language in text.LANGUAGES:
        text.set_language(language)
        for rule in judge.RULES:
            assert all(text.has(f"condition.{one.key}") for one in rule.conditions), rule.label


def test_the_rule_and_what_held():
    lines = page(tiling(), width=200)
    assert said(lines, "rule")[0][0] == "memory"
    held = [(line.term, line.text) for line in lines if line.section == "conditions" and line.level == 1]
    assert held[0][0] == "holds" and held[0][1].startswith("mte2 of the cube side: 0.96 >= 0.80   (move_cube: [ADV")
    assert any(term == "not" and text.startswith("cube busy: 0.50 >= 0.88") for term, text in held)
    scores = [line.text for line in lines if line.section == "conditions" and line.term in ("memory", "stall")]
    assert scores[0].endswith("gives the label")


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [
        (0.96, 0.8, "0.96 >= 0.80"),
        (0.004, 0.05, "0.004 >= 0.050"),
        (0.005, 0.04, "0.005 >= 0.040"),
        (0.7996, 0.8, "0.7996 >= 0.8000"),
        (0.0, 0.05, "0.00 >= 0.05"),
        (0.05, 0.05, "0.05 >= 0.05"),
        (0.01, 0.0175, "0.010 >= 0.018"),
        (1e-12, 0.05, "0.000000 >= 0.050000"),
    ],
)
def test_a_value_and_its_limit_have_digits_enough(value, limit, shown):
    one = Applied("conflict", "ratio", value, ">=", limit, None, None, value >= limit)
    assert condition_words(one).endswith(f": {shown}")


def test_what_would_decide_comes_with_its_command():
    lacks = dict(said(page(tiling()), "lacks"))
    assert "L2Cache" in lacks
    assert any("msprof --aic-metrics=L2Cache" in line.text for line in page(tiling()))


def test_indicators_come_with_unit_and_source():
    found = dict(said(page(tiling(), width=200), "indicators"))
    assert found["total"].startswith("100 us") and "from op_summary.csv: " in found["total"]
    assert found["other"].startswith("5.00 us  5 %") and found["other"].endswith("worked out of the others")
    assert found["issue"].startswith("0.10")
    assert "msprof --ascendcl=on" in found["preparation"]


def test_the_issue_names_the_scalar_unit_it_is_read_from():
    row = op(core="MIX_AIC", **{**cube(scalar=0.3, us=50.0), **vector(scalar=0.2), "aic_time_us": 50.0})
    issue = dict(said(page(look(row), width=200), "indicators"))["issue"]
    assert issue.startswith("0.20") and "aiv_scalar_ratio" in issue and "aic_scalar_ratio" not in issue


def test_a_tie_names_the_runner_up():
    both = shapes("4096,4096;4096,4096", "4096,4096")
    row = op(0.0, 100.0, **vector(vec=0.80, mte2=0.80), **both, core="AI_VECTOR_CORE")
    summary = look({**row, "type": "Add"}, chip="910B3")
    second = summary.types.strings("runner_up")[0]
    assert second is not None
    assert dict(said(page(summary), "sure"))["runner-up"] == f"{second}-bound is level with it"


def test_data_from_l2_is_no_fault():
    row = op(0.0, 30.0, **vector(us=30.0, mte2=0.9), **shapes("4096,4096", "4096,4096"), core="AI_VECTOR_CORE")
    summary = look({**row, "type": "Mul"}, chip="910B3")
    over = float(summary.types.numbers("times_over_bound")[0])
    assert over < 0.95
    assert dict(said(page(summary), "floor"))["achieved"].startswith("less than HBM alone allows")


WANTED = {"HCCL": "COMMUNICATION, HCCL", "AI_CPU": "AI_CPU"}


@pytest.mark.parametrize("core", ["HCCL", "AI_CPU"])
def test_what_is_no_core_kernel_has_the_conditions_of_its_kind(core):
    kind = {"HCCL": "hcom_allReduce_", "AI_CPU": "Gather"}[core]
    lines = page(look(op(0.0, 100.0, name=kind, type=kind, core=core), chip="910B3"))
    assert said(lines, "rule") and ("holds", f"task type {core}: one of {WANTED[core]}") in said(lines, "conditions")


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("level", ["types", "shapes", "instances"])
def test_nothing_is_wider_than_the_page(level, width, language):
    text.set_language(language)
    for line in page(tiling(), level, 0, width):
        assert cell_len(line.text) <= width - (2 if line.title or line.level < 0 else text_x(width))


def test_totals_only_have_a_page_too(tmp_path):
    from dataclasses import replace

    from npuscope.parsers.table import Table

    summary = tiling()
    bare = replace(summary, ops=Table({}), shapes=Table({}))
    assert said(page(bare), "rule") and not said(page(bare), "conditions")


# ---- on the screen


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"))


async def press(pilot, *keys):
    for key in keys:
        await pilot.press(key)
    await pilot.pause()
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize(
    "before", [(), ("tab",), ("enter",), ("enter", "l")], ids=lambda keys: "-".join(keys) or "types"
)
async def test_the_key_opens_it_and_esc_closes(summary, size, before):
    app = OperatorsOnly(Options(source=None, roots=()), theming.look("dark", False))
    async with app.run_test(size=size) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await press(pilot, *before)
        under = app.screen
        await press(pilot, "question_mark")
        assert isinstance(app.screen, LabelScreen)
        shown = screen_text(app)
        assert "MatMulV2" in shown and "memory-bound" in shown and "The rule" in shown
        await press(pilot, "end")
        assert "Where the limits come from" in screen_text(app)
        await press(pilot, "escape")
        assert app.screen is under


async def test_once_more_is_the_help(summary):
    app = OperatorsOnly(Options(source=None, roots=()), theming.look("dark", False))
    async with app.run_test(size=(120, 40)) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await press(pilot, "question_mark", "question_mark")
        assert type(app.screen) is HelpScreen
        await press(pilot, "escape")
        assert "Operator types" in screen_text(app)


async def test_without_a_row_it_is_the_help():
    app = OperatorsOnly(Options(source=None, roots=()), theming.look("dark", False))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "question_mark")
        assert type(app.screen) is HelpScreen
