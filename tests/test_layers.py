"""What may not be imported where, seen in fresh processes."""

from __future__ import annotations

import subprocess
import sys

import pytest


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import npuscope.cli.report", {"textual", "pandas"}),
        ("import npuscope.cli.snapshot", {"textual", "pandas", "numpy"}),
        ("import npuscope.cli.doctor", {"textual", "pandas", "numpy"}),
        ("import npuscope.cli.monitor", {"textual", "pandas", "numpy"}),
        ("import npuscope.tui.app, npuscope.tui.screens.live, npuscope.tui.screens.profiles", {"pandas", "numpy"}),
        ("import npuscope.tui.screens.operators", {"pandas"}),
        ("import npuscope.parsers.discovery.runs", {"pandas", "numpy", "textual"}),
    ],
)
def test_nothing_heavy_is_imported_early(statement, absent):
    loaded = modules_after(statement)
    assert not absent & loaded
