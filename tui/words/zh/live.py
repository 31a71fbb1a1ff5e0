"""Words: live."""

from __future__ import annotations

WORDS: dict[str, str] = {}
