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
    "demo.about": "The full screen on a simulated Ascend box: eight chips, and profiles that appear and become ready. "
    "Readings and profiles are invented; the program that shows them is the real one. Needs no NPU.",
    "demo.opt-once": "print what the screens show at one moment, and end; needs no terminal",
    "demo.opt-speed": "play it X times as fast (default 1)",
    "demo.bad-speed": "'{word}' is no speed; give a number from {least:one} to {most:int}, as in --speed 2",
    "demo.no-folder": "npuscope: the demo needs a temporary folder and got none: {reason}. Set TMPDIR to a folder with room.",
    "demo.once": "A simulated box: readings and profiles are invented, what is said about them is computed.",
}
