"""A run -> its Summary, read and judged or brought back as it was. No screen is needed for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.profile import Run
from npuscope.sources.cache import Cache
from npuscope.sources.cachefolder import usual_folder
from npuscope.sources.loading import key_of, load


def usual_cache(wanted: bool = True) -> Cache | None:
    """This user's cache, unless it is not wanted."""
    folder = usual_folder() if wanted else None
    return None if folder is None else Cache(folder)


def open_summary(
    run: Run,
    chip: str | None = None,
    hbm_gbps: float | None = None,
    cache: Cache | None = None,
    progress: Callable[[float], None] | None = None,
) -> Summary:
    """Read and look at a profile. Raises ParseError."""
    known = known_summary(run, chip, hbm_gbps, cache)
    if known is not None:
        return known
    key = None if cache is None else key_of(run)
    summary = summarize(load(run, progress, cache), chip, hbm_gbps)
    if cache is None or key is None or not cache.has(key, "profile") or key_of(run) != key:
        return summary
    return cache.keep(key, part_of(chip, hbm_gbps), summary)


def is_known(run: Run, chip: str | None = None, hbm_gbps: float | None = None, cache: Cache | None = None) -> bool:
    """Whether the summary seems to be kept; nothing is read."""
    key = None if cache is None else key_of(run)
    return cache is not None and key is not None and cache.has(key, part_of(chip, hbm_gbps))


def known_summary(
    run: Run, chip: str | None = None, hbm_gbps: float | None = None, cache: Cache | None = None
) -> Summary | None:
    """The summary if it was kept."""
    key = None if cache is None else key_of(run)
    return None if cache is None or key is None else cache.find(key, part_of(chip, hbm_gbps), Summary)


def part_of(chip: str | None, hbm_gbps: float | None) -> str:
    """The name a summary is kept under: it depends on these."""
    return "summary-" + hashlib.blake2b(repr((chip, hbm_gbps)).encode(), digest_size=6).hexdigest()
