"""What a fuzz target is: inputs, and a check that raises when something came out that may not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mutations
from hypothesis import strategies as st
from mutations import Input

FIXTURES = Path(__file__).parent.parent / "fixtures"
Check = Callable[[Input, Path], None]


@dataclass(frozen=True)
class Target:
    """`check(input, folder)` has the folder for itself; nothing but an error of its own may come out of it.

    `data(input)` is what is written for the input, to be kept beside a failure.
    """

    name: str
    inputs: st.SearchStrategy[Input]
    check: Check
    data: Callable[[Input], bytes]
    about: str = ""


def together(name: str, parts: Sequence[Target], about: str) -> Target:
    """Several targets as one."""
    return Target(
        name,
        st.one_of(*(one.inputs.map(functools.partial(replace, part=part)) for part, one in enumerate(parts))),
        lambda given, folder: parts[given.part].check(given, folder),
        lambda given: parts[given.part].data(given),
        about,
    )


def one_file(
    name: str,
    seeds: Sequence[tuple[str, bytes]],
    kinds: Sequence[str],
    check: Callable[[Path, Input], None],
    limit: int = 1 << 20,
) -> Target:
    """A target over files: a seed (name, bytes) is changed, written under its name, and checked."""
    assert seeds, name

    def data(given: Input) -> bytes:
        return mutations.changed(seeds[given.seed % len(seeds)][1], given.changes, limit)

    def checked(given: Input, folder: Path) -> None:
        path = folder / seeds[given.seed % len(seeds)][0]
        path.write_bytes(data(given))
        try:
            check(path, given)
        finally:
            path.unlink()

    return Target(name, mutations.inputs(kinds), checked, data)


def seeds_of(paths: Sequence[Path], lines: int = 12, most: int = 1 << 16) -> list[tuple[str, bytes]]:
    """Files as seeds: csv files with their first lines only, others as far as they are small."""
    found = []
    for path in sorted(paths):
        data = path.read_bytes()
        if path.suffix == ".csv":
            data = b"".join(data.splitlines(keepends=True)[:lines])
        if 0 < len(data) <= most:
            found.append((path.name, data))
    return found
