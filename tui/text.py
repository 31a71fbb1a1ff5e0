"""The catalogue: every sentence a person reads, by key, in the reader's language. Imports no Textual.

A language is a package in tui/words; its modules hold `WORDS: dict[str, str]`, one module per area. Templates name the
unit of a raw number with a format word of numbers.FORMATS: "{us:time} of operators".
"""

from __future__ import annotations

import importlib
import os
import string
from collections.abc import Mapping
from typing import Any

from npuscope.parsers.say import Say
from npuscope.tui import numbers

LANGUAGES = ("en", "zh")
AREAS = (
    "ui",
    "smi",
    "profiles",
    "analysis",
    "findings",
    "advice",
    "cli",
    "demo",
    "live",
    "operators",
    "help",
    "doctor",
    "opprof",
    "ranks",
    "files",
    "basis",
    "triage",
    "report",
    "labelpage",
)

_words: dict[str, str] = {}
_ascii = False


class _Formatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in numbers.FORMATS and not isinstance(value, str):
            return numbers.FORMATS[format_spec](value)
        if format_spec == "word":  # the value is a key of the catalogue
            return t(value)
        if value is None:
            return numbers.DASH
        return clean(str(value)) if not format_spec else str(format(value, format_spec))


_formatter = _Formatter()


def load(language: str) -> dict[str, str]:
    """All words of a language."""
    words: dict[str, str] = {}
    for area in AREAS:
        words.update(importlib.import_module(f"npuscope.tui.words.{language}.{area}").WORDS)
    return words


def set_language(language: str, ascii_only: bool = False) -> None:
    """Choose the language of every later `t`; with ascii_only (LANG=C) sentences are spelled in ASCII."""
    global _ascii
    _words.clear()
    _words.update(load(language))
    _ascii = ascii_only


def language_of(environ: Mapping[str, str]) -> str:
    """zh when the locale says so, else en."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            return "zh" if environ[name].casefold().startswith("zh") else "en"
    return "en"


def wants_ascii(environ: Mapping[str, str]) -> bool:
    """True where the locale cannot carry more than ASCII (LANG=C, POSIX, or a non-UTF-8 one)."""
    name = next((environ[n] for n in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(n)), "C")
    return "utf" not in name.casefold()


def t(key: str, /, **params: Any) -> str:
    """The sentence of `key` with its values."""
    if not _words:
        set_language(language_of(os.environ))
    # a sentence that is missing shows its key: worse than a sentence, better than no screen (tests hold the keys)
    text = _words.get(key, key)
    if params or "{" in text:
        text = _formatter.vformat(text, (), params)
    return plain(text) if _ascii else text


def has(key: str) -> bool:
    """Whether the catalogue knows the key."""
    if not _words:
        set_language(language_of(os.environ))
    return key in _words


def told(sentence: Say) -> str:
    """The sentence a parser or a rule left as data. A parameter that is itself a key's name stays text."""
    return t(sentence.key, **sentence.params)


_CONTROLS = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233, *range(8234, 8239), *range(8294, 8298)), 65533)
_CONTROLS[0x09] = 0x20


def clean(text: str) -> str:
    """Text from a file made safe for a terminal: control and direction-changing characters become U+FFFD."""
    # hardly any text holds one, and to look is five times faster than to translate
    return text if text.isprintable() else text.translate(_CONTROLS)


_PLAIN = str.maketrans({
    "–": "-", "—": "-", "…": "~", "×": "x", "≥": ">=", "≤": "<=", "→": "->", "▼": "v", "▲": "^", "°": "", "’": "'",
    "│": "|", "─": "-", "µ": "u", "·": ".", "▌": ">", "━": "#", "╸": "#", "\ufffd": "?",
})  # fmt: skip


def plain(text: str) -> str:
    """ASCII only and without control codes: known signs by their nearest spelling, the rest as '?'."""
    return clean(text).translate(_PLAIN).encode("ascii", "replace").decode("ascii")
