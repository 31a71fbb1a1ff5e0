"""Words: watching folders, recordings and the demo."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "watch.events": "watched by events",
    "watch.kind": "polled ({kind} sends no events)",
    "watch.inotify_limit": "polled (inotify limit reached)",
    "watch.permission": "polled (no permission to read the folder)",
    "watch.not_there": "polled (the folder is not there yet)",
    "watch.one_file": "polled (one file)",
    "watch.too_many_folders": "polled (too many folders for events)",
    "watch.no_inotify": "polled (this system has no inotify)",
    "watch.first_look": "first look",
    "recording.no-json": "{file}, line {line}: no JSON object. A recording has one reading of `npuscope snapshot --json` a line.",
    "recording.no-reading": "{file}, line {line}: no reading of npuscope ({reason}).",
    "recording.cut": "{file} ends inside line {line}; the readings before it are whole.",
    "recording.empty": "{file} holds no reading.",
    "recording.no-file": "{file} cannot be read: {reason}.",
}
