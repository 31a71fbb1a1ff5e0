"""Timelines: only whether one is whole or any at all, from its first and last bytes; it may be gigabytes."""

from __future__ import annotations

import re
from pathlib import Path

from npuscope.parsers.say import Problem, say

PATTERN = re.compile(r"trace_view\.json")
_ENDS = {b"[": b"]", b"{": b"}"}
_BYTES = 4096
_PHASE = rb'[^\[\]]*"ph"\s*:\s*"'
_EVENT = re.compile(rb"\[\s*\{" + _PHASE)
_NAMED = re.compile(rb'"traceEvents"\s*:\s*\[\s*\{' + _PHASE)


def is_one(path: str) -> bool:
    """Whether a .json file of any name begins as a timeline does: with events that have a phase."""
    if not path.casefold().endswith(".json"):
        return False
    try:
        with Path(path).open("rb") as handle:
            first = handle.read(_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return False
    return _EVENT.match(first) is not None or (first[:1] == b"{" and _NAMED.search(first) is not None)


def check_trace(path: Path) -> Problem | None:
    """A problem when the file does not begin and end as JSON does; None when it does or is not there."""
    try:
        with path.open("rb") as handle:
            first = handle.read(_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            size = handle.seek(0, 2)
            handle.seek(max(0, size - _BYTES))
            last = handle.read().rstrip(b" \t\r\n")[-1:]
    except OSError:
        return None
    if first in _ENDS and last == _ENDS[first]:
        return None
    text = say("profiles.problem.invalid-trace", file=path.name, bytes=size)
    return Problem("invalid-trace", text, say("profiles.hint.invalid-trace"), str(path))
