"""Reading a run, or bringing it back from the cache when it is the same run, read by the same npuscope."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import npuscope
from npuscope.parsers.msprof.extras import MOST_STREAMED_BYTES
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.profile import Profile, Run
from npuscope.sources.cache import FORMAT, Cache

WORTH_BYTES = 4 << 20  # below it reading takes no longer than a blink
MOST_FILES = 5_000
PROFILE = "profile"
_CODE = ("parsers", "analysis")  # what a kept run is made by
_RAW = ("data", "sqlite")  # what was collected, not yet exported: thousands of files that no reader opens


def load(
    run: Run,
    progress: Callable[[float], None] | None = None,
    cache: Cache | None = None,
    most: int | None = MOST_STREAMED_BYTES,
) -> Profile:
    """Read a run, through the cache where there is one; `most` as in read_profile. Raises ParseError."""
    key = None if cache is None else key_of(run, most)
    if cache is None or key is None or _holds(run, cache.folder):
        return read_profile(run, progress, most)
    known = cache.find(key, PROFILE, Profile)
    if known is not None:
        return known
    profile = read_profile(run, progress, most)
    unchanged = key_of(run, most) == key
    return cache.keep(key, PROFILE, profile) if unchanged and len(profile.ops) else profile


def key_of(run: Run, most: int | None = MOST_STREAMED_BYTES) -> str | None:
    """What tells this run from every other: its record, the size and times of its files, how
    much of them is read, and npuscope's own code.

    None for a run that is not kept: too small to be worth it, not whole, or its files cannot be looked at.
    """
    if run.state != "ready" or run.size_bytes < WORTH_BYTES:
        return None
    told = hashlib.blake2b(digest_size=16)
    told.update(
        repr((FORMAT, npuscope.__version__, sys.byteorder, own_code(), most, run)).encode("utf-8", "surrogatepass")
    )
    try:
        for number, path in enumerate(_files(run)):
            found = path.stat()
            if number >= MOST_FILES or not found.st_size:
                return None
            facts = (str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            told.update(repr(facts).encode("utf-8", "surrogatepass"))
    except OSError:
        return None
    return told.hexdigest()


def _files(run: Run) -> Iterator[Path]:
    """Every file that may have a say in what is read."""
    if run.kind == "db":  # with what lies beside it
        yield from (path for path in sorted(Path(run.path).parent.iterdir()) if path.is_file())
        return
    if run.kind == "csv":
        yield Path(run.path)
        return
    for folder, folders, names in os.walk(run.path):
        folders[:] = sorted(name for name in folders if name not in _RAW)
        for name in sorted(names):
            yield Path(folder) / name


@functools.cache
def own_code() -> str:
    """Changes with every line of the code that reads and judges."""
    told = hashlib.blake2b(digest_size=8)
    root = Path(npuscope.__file__).parent
    for folder in _CODE:
        for path in sorted((root / folder).resolve().rglob("*")):
            if path.suffix in (".py", ".toml"):
                found = path.stat()
                told.update(repr((path.name, found.st_size, found.st_mtime_ns)).encode())
    return told.hexdigest()


def _holds(run: Run, folder: Path) -> bool:
    """Whether the cache lies in the run: nothing is ever written beside the data."""
    own, cache = Path(run.path).resolve(), folder.resolve()
    return own in cache.parents if own.is_dir() else own.parent == cache
