"""Runs every benchmark in turn and prints its table; `make bench`. docs/PERFORMANCE.md holds the last quiet run.

usage: python benchmarks/all.py [NAME ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = ("resolve", "first_frame", "live_bytes", "big_profile", "operator_table", "timeline")


def main() -> int:
    names = sys.argv[1:] or SCRIPTS
    failed = []
    for name in names:
        load = os.getloadavg()[0]
        print(f"\n== {name}   {time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, load {load:.1f}", flush=True)
        if subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode:
            failed.append(name)
    if failed:
        print("did not end well:", ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
