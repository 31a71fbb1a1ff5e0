"""How long the pip that comes with an interpreter needs to resolve npuscope's dependencies, with and without the caps.

usage: python benchmarks/resolve.py [python3.9 python3.10 ...]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 60.0
UNCAPPED = ("textual>=8,<9", "pandas>=2.0,<4", "watchdog>=6", "psutil>=5.9", "platformdirs>=3")


def resolve_s(pip: Path, what: list[str]) -> float | None:
    """Seconds of `pip install --dry-run`; None when it did not end in time."""
    started = time.perf_counter()
    try:
        subprocess.run(
            [str(pip), "install", "--dry-run", "--quiet", "--ignore-installed", *what],
            check=True,
            timeout=LIMIT_S,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return None
    return time.perf_counter() - started


def runs(name: str) -> bool:
    """Whether there is such an interpreter, and not only a name that stands for one."""
    if shutil.which(name) is None:
        return False
    return subprocess.run([name, "--version"], capture_output=True, check=False).returncode == 0


def said(seconds: float | None) -> str:
    return f"> {LIMIT_S:.0f} s" if seconds is None else f"{seconds:.1f} s"


def main() -> None:
    interpreters = sys.argv[1:] or ["python3.9", "python3.10"]
    print("interpreter   its pip    npuscope   the same without caps")
    for name in interpreters:
        if not runs(name):
            print(f"{name:13} is not on this machine")
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([name, "-m", "venv", folder], check=True)
            pip = Path(folder) / "bin" / "pip"
            version = subprocess.run(
                [str(pip), "--version"], capture_output=True, text=True, check=True
            ).stdout.split()[1]
            print(
                f"{name:13} {version:10} {said(resolve_s(pip, [str(ROOT)])):10} {said(resolve_s(pip, list(UNCAPPED)))}"
            )


if __name__ == "__main__":
    main()
