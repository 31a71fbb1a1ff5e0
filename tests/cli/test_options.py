"""Options that commands share, and text in columns."""

from __future__ import annotations

import argparse
import io
import re

import pytest

from npuscope.cli import options
from npuscope.cli.printing.textcolumns import columns, width
from npuscope.tui.text import set_language, t


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    options.add_live_options(parser)
    options.add_text_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("words", "environ", "plain", "said"),
    [
        ([], {"LANG": "en_US.UTF-8"}, False, "{} chips"),
        ([], {"LANG": "zh_CN.UTF-8"}, False, "{} 个芯片"),
        ([], {"LANG": "C"}, True, "{} chips"),
        ([], {}, True, "{} chips"),
        ([], {"LANG": "zh_CN.GB18030"}, True, "{} chips"),
        (["--lang", "zh"], {"LANG": "C"}, False, "{} 个芯片"),
        (["--lang", "zh", "--ascii"], {"LANG": "zh_CN.UTF-8"}, True, "{} chips"),
        (["--lang", "en"], {"LC_ALL": "zh_CN.UTF-8"}, False, "{} chips"),
    ],
)
def test_language_and_spelling(words: list[str], environ: dict[str, str], plain: bool, said: str) -> None:
    try:
        assert options.apply_text_options(parsed(*words), environ) is plain
        assert t("smi.chips", chips=8) == said.format(8)
    finally:
        set_language("en")


def test_which_tool_is_run() -> None:
    assert options.npu_smi_command(parsed(), {}) == "npu-smi"
    assert options.npu_smi_command(parsed(), {"NPUSCOPE_NPU_SMI": "other"}) == "other"
    assert options.npu_smi_command(parsed("--npu-smi", "mine"), {"NPUSCOPE_NPU_SMI": "other"}) == "mine"


def test_source() -> None:
    assert parsed().source == ("npu-smi", None)
    assert parsed("--source", "replay:a:b").source == ("replay", "a:b")


@pytest.mark.parametrize("word", ["0", "-1", "x", "inf", "nan", "1e9", ""])
def test_intervals_that_are_none(word: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.seconds(word)


@pytest.mark.parametrize("word", ["0", "-1", "1.5", "x", "", "\u0663", "9" * 40])
def test_counts_that_are_none(word: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.count(word)


@pytest.mark.parametrize(
    ("words", "environ", "wanted"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {}, False),
    ],
)
def test_colour_in_a_file(words: list[str], environ: dict[str, str], wanted: bool) -> None:
    assert options.wants_color(parsed(*words), io.StringIO(), environ) is wanted


def test_wide_characters_take_two_cells() -> None:
    assert width("显存 GB") == 7
    assert columns([["芯片", "a"], ["0", "123"]], right=(1,)) == ["芯片    a", "0     123"]


def test_the_help_names_every_command():
    from npuscope.cli import COMMANDS, monitor

    for language in ("en", "zh"):
        set_language(language)
        said = monitor.parser().format_help()
        assert not [name for name in COMMANDS if not re.search(rf"\b{name}\b", said)]
    set_language("en")
