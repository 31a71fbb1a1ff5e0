"""A file's table as the screen pages through it: which columns stand where, the fields of its filter. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from npuscope.analysis.sheet_totals import MOMENT, TEXT, first_moment, with_values
from npuscope.parsers.table import Strings
from npuscope.tui.files.jobs import FileSheet
from npuscope.tui.files.sheetcells import CellForm, forms_of
from npuscope.tui.filtering import Condition, parse
from npuscope.tui.operators.columns import Placed
from npuscope.tui.tableview import TableView

_SAMPLE = 300
_LEAST_FIRST, _LEAST_TEXT = 20, 8
_WIDEST_TEXT, _WIDEST_FIRST = 36, 44
_MAIN = ("name", "type", "key", "text", "operator", "event", "component", "metric", "suggestion", "instr")
_GAP = 2


@dataclass(frozen=True)
class SheetColumn:
    """A column of the table that holds something: how its cells are written, and how many cells they take."""

    form: CellForm
    width: int

    @property
    def name(self) -> str:
        """Its name in the table."""
        return self.form.told.name


class SheetView:
    """A file's table with its columns, the telling one first; `view` is order, filter and cursor."""

    def __init__(self, sheet: FileSheet) -> None:
        self.sheet = sheet
        self.view = TableView(sheet.table)
        forms = forms_of(with_values(sheet.columns), first_moment(sheet.table))
        main = main_column(sheet)
        ordered = sorted(forms, key=lambda form: form.told.name != main)
        self.columns = tuple(SheetColumn(form, self._width(form, at == 0)) for at, form in enumerate(ordered))
        self._fields = fields_of(self.columns)
        self.main = main

    def _width(self, form: CellForm, first: bool) -> int:
        table, told = self.sheet.table, form.told
        rows = range(min(len(table), _SAMPLE))
        column = table.columns[told.name]
        texts = [form.cell(column[row]) for row in rows] if isinstance(column, Strings) else []
        texts += [form.cell(value) for value in (told.smallest, told.largest) if value is not None]
        if told.kind != TEXT and not texts:
            texts = [form.cell(column[row].item()) for row in rows]  # type: ignore[union-attr]
        head = cell_len(form.head) + 1  # the sort's sign stands behind it
        return min(max(head, *map(cell_len, texts or [""])), _WIDEST_FIRST if first else max(_WIDEST_TEXT, head))

    def form(self, column: str) -> CellForm:
        """How a column is written."""
        return next(one.form for one in self.columns if one.name == column)

    def layout(self, width: int, shift: int) -> list[Placed]:
        """The columns that fit: the first, then the others without the `shift` ones behind it."""
        placed: list[Placed] = []
        x = 2
        for one in (*self.columns[:1], *self.columns[1 + shift :]):
            room = one.width if placed else min(one.width, max(_LEAST_FIRST, width * 2 // 5))
            if one.form.left and x + _LEAST_TEXT < width:  # text may be cut at the window's edge
                room = min(room, width - x - 1)
            if x + room > width - 1 and placed:
                break
            placed.append(Placed(one.name, x, room))
            x += room + _GAP
        return placed

    def conditions(self, text: str) -> tuple[Condition, ...]:
        """The conditions of a filter line; a moment is compared as it is shown. Raises FilterError."""
        texts = [word for word, name in self._fields.items() if self.form(name).told.kind == TEXT]
        numbers = [word for word in self._fields if word not in texts]
        return tuple(self._condition(one) for one in parse(text, texts, numbers))

    def _condition(self, one: Condition) -> Condition:
        if not one.field:
            return one
        form = self.form(self._fields[one.field])
        number = one.number
        if form.told.kind == MOMENT and number is not None:
            number = form.origin_ns + number * form.per
        return replace(one, field=form.told.name, number=number)

    @property
    def fields(self) -> Sequence[str]:
        """What a filter may name."""
        return tuple(self._fields)


def main_column(sheet: FileSheet) -> str:
    """The column that tells one row from another: a text, where there is one."""
    texts = [one.name for one in sheet.columns if one.kind == TEXT and one.known]
    named = [name for name in _MAIN if name in texts]
    return (named or texts or [one.name for one in sheet.columns] or [""])[0]


def fields_of(columns: Sequence[SheetColumn]) -> Mapping[str, str]:
    """Words of a filter -> columns: their names, and their names without the unit where these are no others'."""
    found = {_word(one.name): one.name for one in columns}
    for one in columns:
        found.setdefault(_word(one.form.told.stem), one.name)
    return found


def _word(name: str) -> str:
    """As the filter line can spell it: a letter first, then letters and digits."""
    word = "".join(sign if sign.isalnum() or sign == "_" else "_" for sign in name.casefold())
    return word if word[:1].isalpha() and word.isascii() else f"c_{word}"
