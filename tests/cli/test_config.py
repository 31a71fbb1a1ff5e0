"""config.toml."""

from __future__ import annotations

import pytest

from npuscope import cli
from npuscope.cli import config, monitor, snapshot
from npuscope.tui import text


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")


def parsed(module, words, path):
    parser = module.parser()
    config.apply(parser, words, {config.VARIABLE: str(path)})
    return parser.parse_args(words)


def test_the_file_gives_defaults_and_options_beat_it(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('theme = "light"\ninterval = 2.5\nnpu-smi = "sudo npu-smi"\nhbm-gbps = 1600\nascii = true\n')
    args = parsed(monitor, [], path)
    assert (args.theme, args.interval, args.npu_smi, args.hbm_gbps, args.ascii) == (
        "light",
        2.5,
        "sudo npu-smi",
        1600.0,
        True,
    )
    assert parsed(monitor, ["--theme", "dark"], path).theme == "dark"
    assert parsed(snapshot, [], path).interval == 2.5


def test_no_file_is_no_setting(tmp_path):
    assert parsed(monitor, [], tmp_path / "nothing.toml").theme is None


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("theme = ", "no valid TOML"),
        ('colour = "red"', "'colour', which is not known"),
        ('theme = "pink"', "theme cannot be that: there is no theme 'pink'"),
        ("interval = 0", "interval cannot be that"),
        ('ascii = "yes"', "ascii cannot be that: yes"),
        ('lang = "fr"', "lang cannot be that: fr"),
        ("[theme]\nx = 1", "theme cannot be that"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path, written, said):
    path = tmp_path / "config.toml"
    path.write_text(written)
    with pytest.raises(config.ConfigError) as caught:
        parsed(monitor, [], path)
    assert said in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_broken_file_ends_a_command_with_its_sentence(tmp_path, monkeypatch, capsys):
    path = tmp_path / "config.toml"
    path.write_text("interval = 0")
    monkeypatch.setenv(config.VARIABLE, str(path))
    assert cli.main(["snapshot"]) == 2
    assert "interval cannot be that" in capsys.readouterr().err


def test_a_named_file_must_be_there(tmp_path, capsys):
    assert cli.main(["snapshot", "--config", str(tmp_path / "x.toml")]) == 2
    assert "needs an existing file" in capsys.readouterr().err


def test_nested_beyond_measure_is_one_sentence(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("lang = " + "[" * 100_000)
    with pytest.raises(config.ConfigError) as refused:
        config.read(path)
    assert str(path) in str(refused.value)
