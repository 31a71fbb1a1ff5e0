"""Every benchmark of this folder, one after the other, with the machine and how busy it was.

usage: python benchmarks/all.py [NAME...]     a script that fails is told, and the next one runs
"""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUIET_LOAD = 1.5


def scripts() -> list[Path]:
    """Those that measure: they have a `main`, and make no data for others."""
    found = []
    for path in sorted(HERE.glob("*.py")):
        names = {node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)}
        if "main" in names and path != Path(__file__).resolve() and not path.name.startswith("make_"):
            found.append(path)
    return found


def machine() -> str:
    """Processor, cores, memory, system and Python."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}, Python {platform.python_version()}"


def run(path: Path) -> bool:
    """One script; its table goes to the output."""
    load = os.getloadavg()[0]
    first = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").splitlines()[0]
    print(f"\n{path.stem}: {first}", flush=True)
    busy = "" if load < QUIET_LOAD else "  (other programs are busy: the figures are too high)"
    print(f"load {load:.2f} before it{busy}", flush=True)
    began = time.monotonic()
    code = subprocess.run([sys.executable, str(path)], cwd=HERE).returncode
    print(f"{time.monotonic() - began:.0f} s" + (f", ended with {code}" if code else ""), flush=True)
    return not code


def main() -> int:
    """0 when all of them ran."""
    wanted = sys.argv[1:]
    print(time.strftime("%Y-%m-%d"), machine())
    whole = [run(path) for path in scripts() if not wanted or path.stem in wanted]
    return 0 if all(whole) else 1


if __name__ == "__main__":
    raise SystemExit(main())
