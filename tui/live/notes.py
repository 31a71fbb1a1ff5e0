"""Remarks on chips for the note column, from the hints and from values that are older than the reading."""

from __future__ import annotations

import time
from collections.abc import Mapping

from npuscope.parsers.readings import ChipKey
from npuscope.tui.live.chips import Note
from npuscope.tui.live.state import LiveState
from npuscope.tui.text import t

# code of a hint -> whether it is something to look at; hints that are missing here have no note
WORTH: Mapping[str, bool] = {
    "busy-low-power": True,
    "hbm-held-no-process": True,
    "health-not-ok": True,
    "profiling-conflict": False,
    "host-bound": False,
    "room": False,
}


def notes_of(state: LiveState) -> dict[ChipKey, Note]:
    """The most pressing note of each chip."""
    notes: dict[ChipKey, Note] = {}
    for key, at in state.gone.items():
        notes[key] = Note("live.note.chip-gone", warn=True, at=clock(at))
    for key, at in state.stale.items():
        notes[key] = Note("live.note.stale", at=clock(at))
    for key, at in state.stopped.items():
        notes.setdefault(key, Note("live.note.sudden-stop", warn=True, at=clock(at)))
    for hint in state.hints:
        if hint.npu_id is None or hint.chip_id is None or hint.code not in WORTH:
            continue
        notes.setdefault((hint.npu_id, hint.chip_id), Note(f"live.note.{hint.code}", warn=WORTH[hint.code]))
    return notes


def told(note: Note | None, width: int) -> str:
    """The note in the wording that fits a column of `width` cells."""
    if note is None:
        return ""
    key = note.key if width >= 20 else f"{note.key}.short"
    return t(key, at=note.at)


def clock(at: float) -> str:
    """22:09:52, local time."""
    return time.strftime("%H:%M:%S", time.localtime(at))
