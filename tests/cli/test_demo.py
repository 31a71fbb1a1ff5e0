"""`npuscope demo`: what it prints without a terminal, what it starts with one, and that nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.cli import demo
from npuscope.demo import play
from npuscope.tui import launch, text

SOURCE = str(Path(npuscope.__file__).parent.parent)


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """A temporary folder of our own, English, and the language put back."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield tmp_path
    text.set_language("en")


def left(folder):
    return list(folder.glob("npuscope-demo-*"))


def test_once_shows_the_chips_the_profiles_and_the_reports(apart, capsys):
    assert cli.main(["demo", "--once"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "Chips 0-3 went from busy to 0 %" in said.out
    assert "Chip 7 says 100 % busy but draws 101 W" in said.out
    assert said.out.count("PROF_00000") >= 6 + 3
    assert "collected" in said.out
    before, after, step = (said.out.rindex(word) for word in ("DEMONORMBEFORE", "DEMONORMAFTER", "DEMOSTEPAFTER"))
    assert before < after < step
    assert "3.700 ms" in said.out[before:after] and "1.900 ms" in said.out[after:step]
    assert "18.21 ms" in said.out[step:] and "MatMulV2" in said.out[step:]
    assert left(apart) == []


@pytest.mark.parametrize("words", [["--ascii"], ["--lang", "zh"]])
def test_once_in_other_spellings(apart, capsys, words):
    assert cli.main(["demo", "--once", *words]) == 0
    out = capsys.readouterr().out
    assert "MatMulV2" in out
    assert out.isascii() == (words == ["--ascii"])
    assert ("模拟" in out) == (words != ["--ascii"])


def test_the_full_screen_gets_the_recording_and_the_folder(apart, monkeypatch):
    seen = []

    def show(options):
        seen.append((options, options.roots[0].is_dir()))
        return 7

    monkeypatch.setattr(launch, "launch", show)
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)
    assert cli.main(["demo", "--speed", "3", "--theme", "dark", "--color", "never", "--ascii"]) == 7
    ((options, there),) = seen
    assert there and options.demo and options.roots[0].parent == apart
    assert (options.theme, options.color, options.ascii_only) == ("dark", "never", True)
    assert len(options.source.lead()) == 120
    assert left(apart) == []
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)) == handlers


def test_without_a_terminal_it_says_so(apart, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert cli.main(["demo"]) == 2
    assert "terminal" in capsys.readouterr().err
    assert left(apart) == []


@pytest.mark.parametrize("word", ["0", "-1", "fast", "nan", "1000", ""])
def test_a_speed_that_is_none(capsys, word):
    with pytest.raises(SystemExit) as ended:
        demo.parser().parse_args([f"--speed={word}"])
    assert ended.value.code == 2
    assert f"'{word}'" in capsys.readouterr().err


def test_no_place_for_the_files(capsys, monkeypatch):
    def refuse(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(play.tempfile, "mkdtemp", refuse)
    assert cli.main(["demo", "--once"]) == 3
    said = capsys.readouterr()
    assert "No space left on device" in said.err and said.out == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_demo_leaves_no_folder(apart, number):
    program = "from npuscope.tui import launch\nimport time\n" + (
        "def show(options):\n    print(options.roots[0], flush=True)\n    time.sleep(60)\n"
        "launch.launch = show\nfrom npuscope.cli import main\nmain(['demo'])\n"
    )
    environ = {**os.environ, "TMPDIR": str(apart), "PYTHONPATH": SOURCE}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environ) as child:
        folder = Path(child.stdout.readline().strip())
        assert folder.parent == apart and folder.is_dir()
        child.send_signal(number)
        assert child.wait(timeout=30) == -number
    assert not folder.exists()


def test_what_a_demo_left_behind_is_removed_a_day_later(apart):
    gone = 2**22 + 12345  # above every pid there can be
    names = {
        "old": f"npuscope-demo-{gone}-a",
        "new": f"npuscope-demo-{gone}-b",
        "runs": f"npuscope-demo-{os.getpid()}-c",
    }
    for name in (*names.values(), "npuscope-demo-mine-d"):
        (apart / name).mkdir()
    for name in (names["old"], names["runs"], "npuscope-demo-mine-d"):
        os.utime(apart / name, (time.time() - 2 * 86_400,) * 2)
    play.DemoBox().stop()
    assert sorted(path.name for path in left(apart)) == sorted([names["new"], names["runs"], "npuscope-demo-mine-d"])


def test_it_starts_without_pandas_and_textual():
    """Neither is needed to say what is wrong with the options."""
    program = "import sys; import npuscope.cli.demo; print([m for m in ('pandas', 'textual') if m in sys.modules])"
    environ = {**os.environ, "PYTHONPATH": SOURCE}
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True, env=environ)
    assert done.stdout.strip() == "[]"
