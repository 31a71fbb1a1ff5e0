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
}
