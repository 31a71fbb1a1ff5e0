"""Whatever the text: no parser raises anything but ParseError, and no chip comes twice or half."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers.npu_smi import groups, mapping, watch
from npuscope.parsers.npu_smi.info import parse_info
from npuscope.parsers.say import ParseError

FOLDER = Path(__file__).parents[1] / "fixtures" / "npu_smi"
TEXTS = {path.stem: path.read_bytes().decode("utf-8", "replace") for path in sorted(FOLDER.glob("*.txt"))}
TABLES = {
    name: text
    for name, text in TEXTS.items()
    if len(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")).get("chips", ())) > 1
    and name != "made_two_tables"
}
OTHERS = (
    groups.parse_groups, groups.parse_usages, groups.parse_common, groups.parse_board, groups.parse_health,
    groups.parse_power, groups.parse_temperature, groups.parse_proc_mem,
    watch.parse_watch, mapping.parse_mapping, mapping.parse_list,
)  # fmt: skip
SIGNS = st.text(alphabet="|+-=/ \n\r\t0123456789.:NAOKnpu()%é\u0663\x00\x1b[", max_size=300)


@given(st.one_of(st.text(), SIGNS), st.integers(-64, 255))
def test_arbitrary_text(text: str, returncode: int) -> None:
    table = parse_info(text, returncode)
    assert table.chips or table.problems
    for parse in OTHERS:
        with suppress(ParseError):
            parse(text)


@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_lines_of_real_texts_in_any_order(name: str, data: st.DataObject) -> None:
    lines = data.draw(st.permutations(TEXTS[name].split("\n")))
    table = parse_info("\n".join(lines))
    keys = [chip.key for chip in table.chips]
    assert len(keys) == len(set(keys))
    for parse in OTHERS:
        with suppress(ParseError):
            parse("\n".join(lines))


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_a_cut_table_keeps_whole_chips_only(name: str, data: st.DataObject) -> None:
    text = TABLES[name]
    whole = {chip.key: chip for chip in parse_info(text).chips}
    cut = parse_info(text[: data.draw(st.integers(0, len(text)))])
    assert all(chip == whole[chip.key] for chip in cut.chips)
    assert [chip.key for chip in cut.chips] == list(whole)[: len(cut.chips)]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_cut_inside_a_row_is_named(name: str) -> None:
    text = TABLES[name]
    whole = parse_info(text)
    rows = [at for at in range(1, len(text)) if text[at - 1] == "\n" and text[at] == "|"]
    for at in rows:
        table = parse_info(text[: at + 5])
        assert len(table.chips) <= len(whole.chips)
        if table.chips:
            assert "truncated" in [problem.code for problem in table.problems]


def chip_blocks(text: str) -> list[str]:
    """The two lines of each chip."""
    lines = [line for line in text.split("\n") if line.strip().startswith("|") and line.strip().endswith("|")]
    tails = [at for at, line in enumerate(lines) if parse_info("\n".join(lines[: at + 1])).chips]
    return ["\n".join(lines[at - 1 : at + 1]) for at in tails if parse_info("\n".join(lines[at - 1 : at + 1])).chips]


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_the_order_of_chips_means_nothing(name: str, data: st.DataObject) -> None:
    blocks = chip_blocks(TABLES[name])
    order = data.draw(st.permutations(blocks))
    found = {chip.key: chip for chip in parse_info("\n".join(order)).chips}
    assert found == {chip.key: chip for chip in parse_info("\n".join(blocks)).chips}
    assert len(found) == len(blocks)


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("error")])
def test_an_error_text_is_an_error_of_every_command(name: str) -> None:
    for parse in OTHERS:
        with pytest.raises(ParseError) as caught:
            parse(TEXTS[name])
        assert caught.value.problem.hint is not None


def test_the_words_of_stderr_count() -> None:
    table = parse_info("", 255, "dcmi module initialize failed. ret is -8005\n")
    assert [problem.code for problem in table.problems] == ["dcmi-8005"]


def test_a_dcmi_code_beside_a_whole_table_is_told_and_the_chips_stay() -> None:
    table = parse_info(TEXTS["910B4_info_two_processes_one_chip"], 0, "get power failed. ret is -8006")
    assert len(table.chips) == 2
    assert [problem.code for problem in table.problems] == ["dcmi-8006"]


def test_the_exit_code_is_named_as_a_shell_names_it() -> None:
    problem = parse_info(TEXTS["made_killed_in_a_row"], -9).problems[0]
    assert (problem.message.key, problem.message.params["returncode"]) == ("smi.cut-after-exit", 137)
    assert (problem.message.params["npu"], problem.message.params["chip"]) == (0, 0)
