"""Every sentence that the code asks for by name stands in the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from npuscope.tui import text

ROOT = Path(__file__).resolve().parent.parent.parent
ASKED = re.compile(r"""\b(?:t|say|Say|has)\(\s*["']([a-z][\w.~-]*\.[\w.~-]+)["']""")
SOURCES = [
    path
    for folder in ("parsers", "sources", "analysis", "tui", "cli", "demo")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
WORDS = text.load("en")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_keys_are_in_the_catalogue(path):
    asked = set(ASKED.findall(path.read_text(encoding="utf-8")))
    assert not {key for key in asked if key not in WORDS and not key.endswith(".")}
