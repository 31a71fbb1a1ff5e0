"""Sentences about any file of a run: its kind in words."""

from __future__ import annotations

from npuscope.tui.text import has, t


def kind_words(kind: str | None) -> str:
    """What a kind of file is; of an unknown kind that it is not known."""
    key = f"files.kind.{kind}"
    return t(key) if kind is not None and has(key) else t("files.kind.unknown")
