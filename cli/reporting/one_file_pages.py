"""A looked-at file as plain text, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from npuscope.analysis.sheet_totals import ColumnTold, first_moment, with_values
from npuscope.cli.printing.markdown import escaped, table_row
from npuscope.cli.printing.problemwords import problem_words
from npuscope.cli.printing.textcolumns import PAGE, columns, cut, hanging, width
from npuscope.cli.reporting.as_csv import csv_line
from npuscope.cli.reporting.one_file import FileLooked
from npuscope.cli.reporting.one_file_json import row_document
from npuscope.parsers.table import Table
from npuscope.tui import numbers
from npuscope.tui.files.sheetcells import CellForm, forms_of
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.text import clean, t, told

CELL = 40
HEADS = ("column", "unit", "known", "distinct", "sum", "smallest", "largest", "source")
LEFT = ("column", "unit", "source")


def lines(looked: Iterable[FileLooked], top: int) -> Iterator[str]:
    """The pages of all files."""
    for number, one in enumerate(looked):
        if number:
            yield ""
        yield from _page(one, top)


def _page(looked: FileLooked, top: int) -> Iterator[str]:
    yield " · ".join(title(looked))
    yield f"  {clean(str(looked.path))}"
    if looked.run is not None:
        yield "  " + t("files.of-run", name=looked.run.name, path=looked.run.path)
    if looked.sight is not None and len(looked.sight.tables) > 1:
        held = t("report.comma").join(f"{one.name} ({numbers.count(one.rows)})" for one in looked.sight.tables)
        yield from hanging(t("files.tables", tables=held))
    if looked.sight is not None and looked.sight.note is not None:
        yield from hanging(told(looked.sight.note))
    if looked.sight is not None and len(looked.sight.found.table):
        table = looked.sight.found.table
        yield ""
        yield from (f"  {text}" for text in columns(told_rows(looked, table), _right(HEADS)))
        yield from hanging(empty) if (empty := without_values(looked)) else ()
        yield ""
        yield f"  {t('files.first', shown=min(top, len(table)), n=len(table))}"
        yield from _rows(looked, table, top)
    for problem in looked.problems:
        yield ""
        yield from hanging(t("report.problem", message=problem_words(problem)), "  ")


def title(looked: FileLooked) -> list[str]:
    """Name, kind, how much of it."""
    parts = [clean(looked.path.name), kind_words(looked.kind)]
    if looked.sight is not None:
        parts += [looked.sight.table] if looked.sight.table is not None else []
        table = looked.sight.found.table
        parts += [t("files.rows", n=len(table)), t("files.columns", n=len(table.columns))]
    return [*parts, numbers.bytes_in_words(looked.size_bytes)] if looked.size_bytes is not None else parts


def without_values(looked: FileLooked) -> str:
    """The columns that hold nothing in any row, as a sentence; "" when all hold something."""
    empty = [clean(one.name) for one in looked.columns if not one.known]
    return t("files.empty-columns", n=len(empty), names=t("report.comma").join(empty)) if empty else ""


def told_rows(looked: FileLooked, table: Table) -> list[list[str]]:
    """A head, then a line for each column: unit, rows with a value, what it adds up to, and where it comes from."""
    rows = [[t(f"files.head.{name}") for name in HEADS]]
    for form in forms_of(with_values(looked.columns), first_moment(table)):
        told = form.told
        rows.append(
            [
                cut(clean(told.stem), CELL),
                form.head.rpartition(" ")[2] if form.unit else "",
                numbers.count(told.known),
                numbers.count(told.distinct) if told.distinct is not None else "",
                form.cell(told.total) if told.total is not None else "",
                form.cell(told.smallest) if told.smallest is not None else "",
                form.cell(told.largest) if told.largest is not None else "",
                cut(clean(told.source.partition(":")[2] or told.source), CELL),
            ]
        )
    return rows


def _rows(looked: FileLooked, table: Table, top: int) -> Iterator[str]:
    """The first rows, in as many columns as fit."""
    forms = forms_of(with_values(looked.columns), first_moment(table))
    held = [_cells(form, table, top) for form in forms]
    fitting, used = 0, 2
    for cells in held:
        used += max(map(width, cells)) + 2
        if used > PAGE and fitting:
            break
        fitting += 1
    rows = list(zip(*held[:fitting]))
    yield from (f"  {text}" for text in columns(rows, {at for at, form in enumerate(forms) if not form.left}))
    if fitting < len(forms):
        yield f"  {t('files.more-columns', n=len(forms) - fitting)}"


def _cells(form: CellForm, table: Table, top: int) -> list[str]:
    shown = [table.row(row)[form.told.name] for row in range(min(top, len(table)))]
    return [form.head, *(cut(form.cell(value), CELL) for value in shown)]


def _right(names: Sequence[str]) -> set[int]:
    return {at for at, name in enumerate(names) if name not in LEFT}


def markdown(looked: Iterable[FileLooked], top: int) -> Iterator[str]:
    """A section for each file."""
    for one in looked:
        yield f"## {escaped(one.path.name)}"
        yield ""
        yield escaped(", ".join(title(one)[1:]))
        yield ""
        if one.sight is not None and one.sight.note is not None:
            yield escaped(told(one.sight.note))
            yield ""
        if one.sight is not None and len(one.sight.found.table):
            table = one.sight.found.table
            yield from _grid(told_rows(one, table), _right(HEADS))
            yield ""
            yield from filter(None, [escaped(without_values(one)), ""])
            forms = forms_of(with_values(one.columns), first_moment(table))
            cells = [_cells(form, table, top) for form in forms]
            yield from _grid(list(zip(*cells)), {at for at, form in enumerate(forms) if not form.left})
            yield ""
        yield from (f"- ! {escaped(problem_words(problem))}" for problem in one.problems)
        yield ""


def _grid(rows: Sequence[Sequence[str]], right: set[int]) -> Iterator[str]:
    yield table_row(rows[0])
    yield "|" + "|".join("---:" if at in right else "---" for at in range(len(rows[0]))) + "|"
    yield from map(table_row, rows[1:])


def csv(looked: Iterable[FileLooked], top: int) -> Iterator[str]:
    """For each file a head with the columns' names and its first rows; of several files a blank line between them."""
    for number, one in enumerate(looked):
        if one.sight is None:
            continue
        if number:
            yield ""
        table = one.sight.found.table
        yield csv_line(_names(one.columns))
        yield from (csv_line(row_document(table, row).values()) for row in range(min(top, len(table))))


def _names(told: Sequence[ColumnTold]) -> list[str]:
    return [one.name for one in told]
