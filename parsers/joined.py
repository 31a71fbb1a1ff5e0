"""The record of a run that is several runs of one program, joined when it is read."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence

from npuscope.parsers.profile import Run

_SHORT = re.compile(r"^(PROF_\d+)_.*")
_WORST = ("ready", "partial")


def joined_run(runs: Sequence[Run]) -> Run:
    """What several runs are called once they are one; the first gives kind, rank and time."""
    short = [_SHORT.sub(r"\1", run.name) for run in runs]
    distinct = len(set(short)) == len(runs)
    signature = hashlib.blake2b("|".join(run.signature for run in runs).encode(), digest_size=8).hexdigest()
    return dataclasses.replace(
        runs[0],
        path=" + ".join(run.path for run in runs),
        name=" + ".join(short if distinct else (run.name for run in runs)),
        state=max(
            (run.state for run in runs), key=lambda state: _WORST.index(state) if state in _WORST else len(_WORST)
        ),
        files=(),
        ignored=(),
        next_command=None,
        changed_at=max(run.changed_at for run in runs),
        size_bytes=sum(run.size_bytes for run in runs),
        signature=signature,
        problems=(),
        parts=tuple(runs),
    )
