"""The events of a trace, a block at a time, as columns: msgspec where it is installed, else the json module.

Of an event only what is shown is kept: slices (ph X) with lane, name, start and duration; names of lanes (ph M); the
AI Core frequency among the counters (ph C). Flows and other counters are only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.columns import start_cell
from npuscope.parsers.json_text import loads
from npuscope.parsers.profile import UNKNOWN

Key = Union[str, int, float, None]
FREQUENCY = "freq"
_DIGITS_AT_ONCE = 15  # of a float64
_LONGEST = 19  # digits of nanoseconds in an int64, when the first is no 9


@dataclass(frozen=True)
class Slices:
    """Raw cells of the slices of a block: lists of one length."""

    names: Sequence[Any]
    pids: Sequence[Any]
    tids: Sequence[Any]
    starts: Sequence[Any]
    durations: Sequence[Any]


@dataclass(frozen=True)
class Decoded:
    """One block: its slices, its names and frequencies as plain objects, and how many events of each phase it has."""

    slices: Slices
    marks: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    phases: Mapping[str, int] = field(default_factory=dict)


Decode = Callable[[bytes], Union[Decoded, None]]


def decoder() -> Decode:
    """The fastest way there is here; None from it = no JSON."""
    try:
        return _with_msgspec()
    except ImportError:
        return decode_plainly


def decode_plainly(text: bytes) -> Decoded | None:
    """With the json module. Text that is no UTF-8 and control codes inside texts are borne with."""
    try:
        found = loads(text)
    except (ValueError, RecursionError):
        try:
            found = loads(text.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
    events = [event for event in found if isinstance(event, dict)]
    slices = [event for event in events if event.get("ph") == "X"]
    return Decoded(
        Slices(
            [_name(event.get("name")) for event in slices],
            *([event.get(name) for event in slices] for name in ("pid", "tid", "ts", "dur")),
        ),
        [event for event in events if _told(event)],
        Counter(_name(event.get("ph")) for event in events),
    )


def _name(value: Any) -> str:
    return "" if value is None else str(value)


def _has_marks(events: Sequence[Any], phases: Mapping[str, int]) -> bool:
    return "M" in phases or (
        "C" in phases
        and any(FREQUENCY in name.casefold() for name in {event.name for event in events if event.ph == "C"})
    )


def _told(event: Mapping[str, Any]) -> bool:
    phase = event.get("ph")
    return phase == "M" or (phase == "C" and FREQUENCY in str(event.get("name")).casefold())


def _with_msgspec() -> Decode:
    import msgspec

    kept = [("name", str, ""), ("ph", str, ""), *((name, Key, None) for name in ("pid", "tid", "ts", "dur"))]
    many: Any = list
    plain = msgspec.json.Decoder(many[msgspec.defstruct("Event", kept, gc=False)])
    with_args = msgspec.json.Decoder(many[msgspec.defstruct("Mark", [*kept, ("args", Any, None)])])

    def decode(text: bytes) -> Decoded | None:
        try:
            events = plain.decode(text)
            slices = [event for event in events if event.ph == "X"]
            phases = Counter([event.ph for event in events])
            marks = with_args.decode(text) if _has_marks(events, phases) else ()
        except (msgspec.DecodeError, RecursionError):
            return decode_plainly(text)
        return Decoded(
            Slices(
                [event.name for event in slices],
                [event.pid for event in slices],
                [event.tid for event in slices],
                [event.ts for event in slices],
                [event.dur for event in slices],
            ),
            [told for event in marks if _told(told := msgspec.structs.asdict(event))],
            phases,
        )

    return decode


class Codes(dict[Any, int]):
    """Numbers for things in the order they are first met."""

    def __missing__(self, key: Any) -> int:
        self[key] = code = len(self)
        return code

    def of(self, keys: Iterable[Any]) -> list[int]:
        """The number of each; what cannot be a key counts by its text."""
        kept = list(keys)
        try:
            return list(map(self.__getitem__, kept))
        except TypeError:
            return [self[_hashable(key)] for key in kept]


def _hashable(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_hashable, key))
    return key if isinstance(key, (str, int, float)) or key is None else str(key)


def durations_us(cells: Sequence[Any]) -> NDArray[np.float32]:
    """Durations; NaN where there is none, or one beyond all numbers."""
    with np.errstate(over="ignore"):
        try:
            found = np.array(cells, dtype=np.float32)
            if found.ndim != 1:  # lists in place of numbers
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            found = np.array([_number(cell) for cell in cells], dtype=np.float32)
    found[np.isinf(found)] = np.nan
    return found


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def starts_ns(cells: Sequence[Any]) -> NDArray[np.int64]:
    """Microseconds, as text or as numbers, in whole nanoseconds; UNKNOWN where there is none."""
    if not cells:
        return np.empty(0, dtype=np.int64)
    same = _same_layout(cells) if isinstance(cells[0], str) else None
    return same if same is not None else np.array([_start(cell) for cell in cells], dtype=np.int64)


def _start(cell: Any) -> int:
    if isinstance(cell, str):
        return start_cell(cell)
    if isinstance(cell, int) and not isinstance(cell, bool):
        nanoseconds = cell * 1000
    elif isinstance(cell, float) and cell == cell and abs(cell) < 1e16:
        nanoseconds = round(cell * 1000)
    else:
        return UNKNOWN
    return nanoseconds if 0 <= nanoseconds < 2**63 else UNKNOWN


def _same_layout(cells: Sequence[str]) -> NDArray[np.int64] | None:
    """All cells at once, when all are digits, point and three digits of the first one's length; else None."""
    first = cells[0]
    length, point = len(first), first.find(".")
    if point < 1 or length - point != 4 or length - 1 > _LONGEST:
        return None
    try:
        text = "".join(cells).encode("ascii")
    except (TypeError, UnicodeEncodeError):
        return None
    if len(text) != length * len(cells):
        return None
    letters = np.frombuffer(text, np.uint8).reshape(-1, length)
    digits = np.concatenate([letters[:, :point], letters[:, point + 1 :]], axis=1) - np.uint8(48)
    if (digits > 9).any() or (letters[:, point] != ord(".")).any():
        return None
    if length - 1 == _LONGEST and (digits[:, 0] == 9).any():
        return None
    high, low = digits[:, :-_DIGITS_AT_ONCE], digits[:, -_DIGITS_AT_ONCE:]
    found: NDArray[np.int64] = _joined(high) * 10 ** low.shape[1] + _joined(low)
    return found


def _joined(digits: NDArray[np.uint8]) -> NDArray[np.int64]:
    weights = 10.0 ** np.arange(digits.shape[1] - 1, -1, -1)
    whole: NDArray[np.float64] = digits.astype(np.float64) @ weights
    return whole.astype(np.int64)
