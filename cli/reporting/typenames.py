"""What the lines of a table of types are called: type names, told apart where several lines carry one."""

from __future__ import annotations

from collections import Counter

from npuscope.cli.printing.textcolumns import cut
from npuscope.parsers.table import Table
from npuscope.tui import numbers
from npuscope.tui.text import clean


def type_names(types: Table, cells: int | None = None) -> list[str]:
    """A name a line, of at most `cells` letters; where several lines have one type its core type follows."""
    names, cores = types.strings("type").tolist(), types.strings("core").tolist()
    often = Counter(names)
    return [_named(name or numbers.DASH, core if often[name] > 1 else None, cells) for name, core in zip(names, cores)]


def _named(name: str, core: str | None, cells: int | None) -> str:
    ending = f" [{clean(core)}]" if core else ""
    return (name if cells is None else cut(name, cells - len(ending))) + ending
