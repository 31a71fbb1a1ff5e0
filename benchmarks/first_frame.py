"""From start to the first painted frame and to the first whole screen, beside a minimal Textual application.

usage: python benchmarks/first_frame.py [RUNS]

All programs start from compiled modules, as installed ones do. Numpy and pandas must not be there at the first frame.
Budgets: the first frame in 1.15 times what minimal Textual takes, 45 MB, 15 kB to the terminal at the start.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from make_op_summary import make
from ptyrun import PtyProgram, median, three

MINIMAL = """
from textual.app import App
from textual.widgets import DataTable, Footer, Header
class Minimal(App):
    TITLE = "MARKER"
    def compose(self):
        yield Header(); yield DataTable(); yield Footer()
    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("a", "b", "c")
        for n in range(50): table.add_row(str(n), "x", "y")
Minimal().run()
"""
# writes down what is imported when the first frame goes to the terminal
PROBE = """
import sys
from npuscope import cli
from npuscope.tui import thrift
write = thrift.ThriftyDriver.write
def noted(self, data):
    if "Profiles" in data and not noted.done:
        noted.done = True
        open(sys.argv[1], "w").write(" ".join(sys.modules))
    write(self, data)
noted.done = False
thrift.ThriftyDriver.write = noted
cli.main(sys.argv[2:])
"""
PROFILES = 20
FIRST, WHOLE = b"Profiles", b"PROF_0000"


def commands(folder: Path) -> dict[str, tuple[list[str], bytes]]:
    """Each with the bytes that show what is waited for."""
    minimal = folder / "minimal.py"
    minimal.write_text(MINIMAL)
    npuscope = [sys.executable, "-m", "npuscope", str(profiles(folder / "profiles")), "--npu-smi", "false"]
    return {
        "python prints": ([sys.executable, "-c", "print('MARKER')"], b"MARKER"),
        "minimal Textual": ([sys.executable, str(minimal)], b"MARKER"),
        "npuscope FOLDER, first frame": (npuscope, FIRST),
        "npuscope FOLDER, whole screen": (npuscope, WHOLE),
    }


def profiles(folder: Path) -> Path:
    """A folder with some profiles."""
    for number in range(PROFILES):
        output = folder / f"PROF_{number:06d}_20260102030405006_ABCDEFGHIJKLMNOP" / "mindstudio_profiler_output"
        output.mkdir(parents=True)
        make(output / "op_summary_20260102030500.csv", 200, number)
    return folder


def imported(folder: Path, npuscope: list[str]) -> str:
    """Which of numpy and pandas were there when the first frame was painted."""
    told = folder / "modules"
    program = PtyProgram([sys.executable, "-c", PROBE, str(told), *npuscope[3:]])
    program.pump(20, FIRST)
    program.pump(0.5)
    program.close()
    modules = set(told.read_text().split())
    return ", ".join(f"{name} {'yes' if name in modules else 'no'}" for name in ("numpy", "pandas"))


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        found = commands(folder)
        for argv, marker in found.values():  # the first start compiles
            once(argv, marker)
        times: dict[str, list[float]] = {key: [] for key in found}
        after: dict[str, tuple[float, int]] = {}
        for _ in range(runs):
            for key, (argv, marker) in found.items():
                seconds, *after[key] = once(argv, marker, 0.0 if key == "python prints" else 2.0)
                times[key].append(seconds)
        floor = median(times["minimal Textual"])
        print(f"{'':30} {'min / median / max':24} against minimal Textual    RSS MB   bytes, each after 2 s")
        for key in found:
            ratio = median(times[key]) / floor
            megabytes, sent = after[key]
            print(f"{key:30} {three(times[key]):24} {ratio:12.2f} x {megabytes:19.0f} {sent:8}")
        print("imported at the first frame:", imported(folder, found["npuscope FOLDER, first frame"][0]))


def once(argv: list[str], marker: bytes, after_s: float = 0.0) -> tuple[float, float, int]:
    """Seconds until the marker, then memory in MB and bytes sent so far, `after_s` later."""
    program = PtyProgram(argv)
    seconds = program.pump(20, marker)
    if after_s:
        program.pump(after_s)
    megabytes = program.rss_mb() if after_s else 0.0
    program.close()
    return float("nan") if seconds is None else seconds, megabytes, len(program.raw)


if __name__ == "__main__":
    main()
