"""A run -> its Summary, read and judged or brought back as it was. No screen is needed for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from npuscope.analysis.basis import Basis
from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.msprof.extras import MOST_STREAMED_BYTES
from npuscope.parsers.profile import Profile, Run
from npuscope.sources.cache import Cache
from npuscope.sources.cachefolder import usual_folder
from npuscope.sources.loading import key_of, load

USUAL = Basis()


def usual_cache(wanted: bool = True) -> Cache | None:
    """This user's cache, unless it is not wanted."""
    folder = usual_folder() if wanted else None
    return None if folder is None else Cache(folder)


def open_summary(
    run: Run,
    basis: Basis = USUAL,
    cache: Cache | None = None,
    progress: Callable[[float], None] | None = None,
) -> Summary:
    """Read and look at a profile. Raises ParseError."""
    known = known_summary(run, basis, cache)
    if known is not None:
        return known
    key = None if cache is None else key_of(run, most_of(basis))
    profile = load(run, progress, cache, most_of(basis))
    summary = judged(profile, basis)
    if cache is None or key is None or not cache.has(key, "profile") or key_of(run, most_of(basis)) != key:
        return summary
    return cache.keep(key, part_of(basis), summary)


def judged(profile: Profile, basis: Basis = USUAL) -> Summary:
    """A profile, looked at."""
    return summarize(profile, basis.chip, basis.hbm_gbps, basis.thresholds(), basis.calibrations)


def is_known(run: Run, basis: Basis = USUAL, cache: Cache | None = None) -> bool:
    """Whether the summary seems to be kept; nothing is read."""
    key = None if cache is None else key_of(run, most_of(basis))
    return cache is not None and key is not None and cache.has(key, part_of(basis))


def known_summary(run: Run, basis: Basis = USUAL, cache: Cache | None = None) -> Summary | None:
    """The summary if it was kept."""
    key = None if cache is None else key_of(run, most_of(basis))
    return None if cache is None or key is None else cache.find(key, part_of(basis), Summary)


def most_of(basis: Basis) -> int | None:
    """How large a timeline may be to be read with the rest."""
    return None if basis.whole_trace else MOST_STREAMED_BYTES


def part_of(basis: Basis) -> str:
    """The name a summary is kept under: chip, bandwidths and thresholds all have a say in it."""
    return "summary-" + hashlib.blake2b(repr(basis).encode("utf-8", "replace"), digest_size=6).hexdigest()
