"""From start to the first painted frame, beside a minimal Textual application; pandas and numpy must not be there yet.

usage: python benchmarks/first_frame.py [RUNS]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

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
NAMES = ("python prints", "minimal Textual", "npuscope")


def commands(folder: Path) -> dict[str, tuple[list[str], bytes]]:
    """Each with the bytes that show its first frame."""
    minimal = folder / "minimal.py"
    minimal.write_text(MINIMAL)
    empty = folder / "empty"
    empty.mkdir()
    npuscope = [sys.executable, "-m", "npuscope", str(empty), "--npu-smi", "false"]
    return {
        "python prints": ([sys.executable, "-c", "print('MARKER')"], b"MARKER"),
        "minimal Textual": ([sys.executable, str(minimal)], b"MARKER"),
        "npuscope": (npuscope, b"Profiles"),
    }


def loaded_modules(folder: Path) -> str:
    """Whether pandas or numpy were imported when the first frame was painted."""
    probe = (
        "import sys\nfrom npuscope.tui.app import NpuscopeApp\nprint('numpy' in sys.modules, 'pandas' in sys.modules)"
    )
    import subprocess

    return subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = commands(folder)
        times: dict[str, list[float]] = {key: [] for key in found}
        memory = {}
        for _ in range(runs):
            for key, (argv, marker) in found.items():
                program = PtyProgram(argv)
                seconds = program.pump(20, marker)
                times[key].append(seconds if seconds is not None else float("nan"))
                if key != "python prints":
                    program.pump(0.3)
                    memory[key] = program.rss_mb()
                program.close()
        floor = median(times["minimal Textual"])
        print("first frame, min / median / max            against minimal Textual   RSS MB")
        for key in NAMES:
            ratio = median(times[key]) / floor
            print(f"{key:18} {three(times[key]):24} {ratio:12.2f} x {memory.get(key, 0):18.0f}")
        print("numpy, pandas imported with the application:", loaded_modules(folder))


if __name__ == "__main__":
    main()
