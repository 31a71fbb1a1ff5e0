"""JSON whose texts can be printed: half a surrogate pair, which JSON may spell, becomes the sign for no text."""

from __future__ import annotations

import json
from typing import Any

_ESCAPED = ("\\ud", "\\uD")
_RAW = b"\xed"  # the first byte of half a pair that was written as if it were a character


def loads(text: str | bytes, strict: bool = True) -> Any:
    """As json.loads. Raises ValueError and RecursionError."""
    return mended(json.loads(text, strict=strict), text)


def mended(value: Any, text: str | bytes) -> Any:
    """A value that was decoded from a text, without halves of pairs."""
    return _whole(value) if _may_hold_halves(text) else value


def _may_hold_halves(text: str | bytes) -> bool:
    if isinstance(text, bytes):
        return _RAW in text or any(word.encode() in text for word in _ESCAPED)
    return any(word in text for word in _ESCAPED)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(inner) for name, inner in value.items()}
    return value
