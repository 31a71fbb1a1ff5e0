"""The newest profiles, one line each."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from npuscope.tui.live import runs as live_runs
from npuscope.tui.live.columns import Column, runs
from npuscope.tui.live.runs import RunLine
from npuscope.tui.paint import Row
from npuscope.tui.text import t, told
from npuscope.tui.widgets.livepanel import Group, LivePanel, tiled


class RunPanel(LivePanel):
    """The profiles list; it needs no head, its cells name their units."""

    HEAD_LINES = 1
    DEFAULT_CSS = "RunPanel HeadLine { display: none; }"

    def __init__(self) -> None:
        super().__init__("profiles", lambda line: line.run.path)
        self.columns: tuple[Column, ...] = ()
        self._shape: tuple[int, Column | None] | None = None

    def fit_to(self, width: int, note: Column | None) -> None:
        """Columns for a window of `width` cells; the change stands under the notes of the chips."""
        if (width, note) == self._shape:
            return
        self._shape = (width, note)
        self.columns = runs(width, note)
        self.tile(tiled(self.columns, (), width))

    def show(self, lines: Sequence[RunLine], note: str) -> None:
        """The runs, newest first."""
        self.fill(lines, note)

    def values(self, group: Group, line: RunLine) -> Hashable:
        """What decides how the cells look."""
        return line.run.path, line.run.signature, line.run.state, line.headline, line.change_pct, line.before

    def link_keys(self, line: RunLine) -> Collection[Hashable]:
        """Runs are linked to nothing."""
        return ()

    def head(self, row: Row) -> None:
        """No head."""

    def cell(self, row: Row, x: int, column: Column, line: RunLine) -> None:
        """One cell."""
        if column.name == "label" and line.headline is not None:
            text, label = live_runs.label(line.headline)
            row.put(x, text, row.look.hue(label), column.width)
            return
        text, token = self._cell(column, line)
        if column.name == "ops" and line.headline is None:
            # a run without a table says why, over the columns it does not fill
            row.put(x, text, token)
        else:
            row.put(x, text, token, column.width, "right" if column.right else "left")

    def _cell(self, column: Column, line: RunLine) -> tuple[str, str]:
        run, known, name = line.run, line.headline, column.name
        if name == "time":
            return live_runs.started(run), "dim"
        if name == "run":
            return live_runs.short_name(run.name, column.width), "text"
        if name == "state":
            return t(f"profiles.state.{line.state}"), line.state_token
        if known is None or (known.problem is not None and not known.ops):
            return self._why(line) if name == "ops" else ("", "dim")
        if name == "ops":
            return t("live.run.ops", n=known.ops), "dim"
        if name == "total":
            return live_runs.total(known), "bright"
        if name == "core":
            return ("" if known.aicore_pct is None else t("live.run.core", pct=known.aicore_pct)), "text"
        if name == "change" and line.change_pct is not None:
            key = "live.run.change" if column.width >= 20 else "live.run.change.short"
            return t(key, pct=line.change_pct, name=line.before), "dim"
        return "", "dim"

    @staticmethod
    def _why(line: RunLine) -> tuple[str, str]:
        if line.headline is not None and line.headline.problem is not None:
            return told(line.headline.problem.message), "dim"
        if line.run.reason is not None:
            return told(line.run.reason), "dim"
        return (t("live.run.reading"), "dim") if line.run.state in live_runs.READABLE else ("", "dim")
