"""The only place that turns a number into text. Unknown (None or NaN) is a dash, never 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Union

Number = Union[int, float, None]
DASH = "–"
ASCII_DASH = "-"


def known(value: Number) -> bool:
    """Neither None nor NaN."""
    return value is not None and not math.isnan(value)


def fixed(value: Number, decimals: int) -> str:
    """Fixed decimals; a non-zero value that would print as zero is `<0.1`, a change that rounds to zero has no sign."""
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        smallest = f"{10**-decimals:.{decimals}f}"
        return f"<{smallest}" if value > 0 else text.lstrip("-")
    return text


def count(value: Number) -> str:
    """1204, 12 480: thin grouping by a blank from 10 000 on."""
    if value is None or math.isnan(value):
        return DASH
    return f"{round(value):,}".replace(",", " ") if abs(value) >= 10_000 else f"{round(value)}"


def count_in(value: Number, width: int) -> str:
    """A count in so many cells: 12 480, where that is too long 12480, then 12.5k or 3.00M; no digit is cut away."""
    if value is None or math.isnan(value):
        return DASH
    plain = f"{round(value)}"
    step = min(3, (len(plain) - 1) // 3)
    short = [f"{value / 1000**step:.{decimals}f}{' kMG'[step]}" for decimals in (2, 1, 0)]
    return next((text for text in (count(value), plain, *short) if len(text) <= width), short[-1])


def significant(value: float, digits: int = 3) -> str:
    """Three significant digits without an exponent: 45.5, 7.22, 0.61, 1204."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(decimals, 6)}f}"


def time_in_words(us: Number, digits: int = 3) -> str:
    """A time in a sentence: 45.5 us, 7.22 ms, 94 s, 2:14:10."""
    if us is None or math.isnan(us):
        return DASH
    if 0 < us < 0.01:
        return "<0.01 us"
    if abs(us) < 1000:
        return f"{significant(us, digits)} us"
    if abs(us) < 1_000_000:
        return f"{significant(us / 1000, digits)} ms"
    if abs(us) < 3_600_000_000:
        seconds = us / 1_000_000
        return f"{seconds:.0f} s" if abs(seconds) >= 10 else f"{significant(seconds, digits)} s"
    return clock(us / 1_000_000)


def clock(seconds: Number) -> str:
    """2:14:10, or 1 d 02:14 from a day on."""
    if seconds is None or math.isnan(seconds):
        return DASH
    whole = int(seconds)
    days, rest = divmod(whole, 86_400)
    if days:
        return f"{days} d {rest // 3600:02d}:{rest % 3600 // 60:02d}"
    return f"{rest // 3600}:{rest % 3600 // 60:02d}:{rest % 60:02d}"


def bytes_in_words(value: Number) -> str:
    """Powers of ten, as bandwidths are quoted: 23.6 MB."""
    return _scaled(value, ("B", "kB", "MB", "GB", "TB"))


def flops_in_words(value: Number) -> str:
    """13.4 GFLOP."""
    return _scaled(value, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"))


def bandwidth_in_words(gbps: Number) -> str:
    """1.6 TB/s, 800 GB/s (10^9 bytes a second)."""
    if gbps is None or math.isnan(gbps):
        return DASH
    return f"{gbps / 1000:.3g} TB/s" if gbps >= 1000 else f"{gbps:.3g} GB/s"


def _scaled(value: Number, units: tuple[str, ...]) -> str:
    if value is None or math.isnan(value):
        return DASH
    step = 0
    scaled = float(value)
    while abs(scaled) >= 1000 and step < len(units) - 1:
        scaled /= 1000
        step += 1
    return f"{significant(scaled)} {units[step]}"


def times_over(value: Number) -> str:
    """x over the floor; under 1 the data sat in L2."""
    if value is None or math.isnan(value):
        return DASH
    if value < 0.95:
        return "L2"
    if value >= 1000:
        return f"{value / 1000:.0f}k" if value < 1_000_000 else ">1M"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


def gb(mb: Number, decimals: int = 1) -> str:
    """GiB of npu-smi's MB (= MiB)."""
    return fixed(None if mb is None else mb / 1024, decimals)


def signed(value: Number, decimals: int = 1) -> str:
    """A change: +8.7, -4.1, 0.0."""
    text = fixed(value, decimals)
    if value is None or math.isnan(value) or float(f"{value:.{decimals}f}") <= 0:
        return text
    return text if text.startswith("<") else f"+{text}"


def time_unit(largest_us: Number) -> tuple[str, float, int]:
    """The one unit of a time column by its largest value: (unit, us per unit, decimals)."""
    if largest_us is None or math.isnan(largest_us) or largest_us < 10_000:
        return "us", 1.0, 1
    if largest_us < 10_000_000:
        return "ms", 1000.0, 2
    return "s", 1_000_000.0, 2


def own_unit(us: float, unit: tuple[str, float, int]) -> str:
    """A time with a unit of its own (4.40 us) where it is under the last decimal of its column; else ""."""
    return time_in_words(us) if unit[0] != "us" and 0 < _steps(us, unit) < 1 else ""


def _steps(us: float, unit: tuple[str, float, int]) -> float:
    """How many times the last decimal that a column shows."""
    return abs(us) / unit[1] * float(10 ** unit[2])


def change_unit(us: Iterable[float], unit: tuple[str, float, int]) -> tuple[str, float, int]:
    """The unit of a column of differences beside times in `unit`: that one, unless it leaves no two digits of any."""
    largest = max(map(abs, us), default=0.0)
    return time_unit(largest) if 0 < _steps(largest, unit) < 10 else unit


def column_time(us: Number, unit: tuple[str, float, int]) -> str:
    """A time in the unit of its column, or in its own, see `own_unit`."""
    if us is None or not known(us):
        return DASH
    return own_unit(us, unit) or fixed(us / unit[1], unit[2])


def column_change(us: float, unit: tuple[str, float, int]) -> str:
    """The same of a difference, with its sign: +9.25, -4.80 us."""
    own = own_unit(us, unit)
    return f"+{own}" if own and us > 0 else own or signed(us / unit[1], unit[2])


# the format words that sentences of the catalogue may use: "{us:time}", "{pct:pct}"
FORMATS: dict[str, Callable[[float | None], str]] = {
    "time": time_in_words,
    "time4": lambda us: time_in_words(us, 4),
    "count": count,
    "int": lambda v: fixed(v, 0),
    "pct": lambda v: fixed(v, 0),
    "pct1": lambda v: fixed(v, 1),
    "signed": signed,
    "ratio": lambda v: fixed(v, 2),
    "one": lambda v: fixed(v, 1),
    "two": lambda v: fixed(v, 2),
    "times": times_over,
    "gb": gb,
    "bytes": bytes_in_words,
    "flops": flops_in_words,
    "gbps": bandwidth_in_words,
    "gbps4": lambda v: fixed(v, 0) + " GB/s",
    "clock": clock,
}
