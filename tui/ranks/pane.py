"""What stands around the table of ranks: its title, and the pane about the rank at the cursor. Pure."""

from __future__ import annotations

from pathlib import Path

from npuscope.analysis.ranks.compare import RankVerdict
from npuscope.analysis.ranks.times import RankTimes
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.ranks.view import RankRow, RankRows
from npuscope.tui.runs.view import READABLE
from npuscope.tui.runs.words import Line
from npuscope.tui.text import t


def title(view: RankRows, folder: str, wide: bool) -> tuple[str, str]:
    """(title, meta) of the table."""
    present, missing = len(view.rows) - len(view.missing), len(view.missing)
    key = "ranks.title.of" if missing else "ranks.title"
    name = t(key, n=present, world=present + missing)
    parts = [Path(folder).name, t("ranks.from", source=rankwords.source(view.table)) if view.table.used else ""]
    if wide and view.table.mean_computing_us is not None:
        parts.append(t("ranks.mean.short", us=view.table.mean_computing_us))
    return name, "   ".join(part for part in parts if part)


def pane(row: RankRow, folder: str, verdict: RankVerdict) -> tuple[str, str, list[Line]]:
    """(title, meta, lines) about one rank; of the latest also in how many steps it is that."""
    if row.run is None:
        absent = t("ranks.missing.one", ranks=row.rank)
        return t("ranks.who.rank.first", rank=row.rank), "", [Line("lacks", absent), Line("there", folder, "dim")]
    lines = [Line("there", row.run.path)]
    times = row.times
    if times is None or row.line is None:
        name = row.run.name if row.rank is None else t("ranks.who.rank.first", rank=row.rank)
        return name, t("ranks.reading"), [*lines, Line("holds", t("ranks.reading"), "dim")]
    if times.known:
        lines.append(Line("holds", holds(times)))
    said = rankwords.reason(row.line)
    if verdict.steps is not None and verdict.late and row.line is verdict.late[0]:
        said += t("ranks.in-steps.short", n=verdict.steps[0], of=verdict.steps[1])
    if said:
        lines.append(Line("note" if times.known else "lacks", said))
    lines += [Line("note", t(problem.message.key, **problem.message.params)) for problem in times.problems[:2]]
    if times.run.next_command and not times.known:
        lines.append(Line("do", times.run.next_command, "bright"))
    elif times.run.state in READABLE:
        lines.append(Line("do", t("ranks.do"), "dim"))
    state, kind = t(f"profiles.state.{times.state}"), t(f"profiles.kind.{times.run.kind}")
    return rankwords.who(times, first=True), t("ranks.comma").join((state, kind)), lines


def holds(times: RankTimes) -> str:
    """`1 step of 108 ms: computing 80.0 ms, communication 26.5 ms (and 0.5 ms hidden), free 1.50 ms`."""
    key = "ranks.holds.one" if len(times.steps) == 1 else "ranks.holds" if times.steps else "ranks.holds.none"
    text = t(
        key, n=len(times.steps), stage=times.stage_us, computing=times.computing_us, alone=times.communication_us,
        free=times.free_us,
    )  # fmt: skip
    more = []
    if times.overlapped_us:
        more.append(t("ranks.holds.overlapped", us=times.overlapped_us))
    if times.wait_us is not None:
        more.append(t("ranks.holds.wait", us=times.wait_us))
    if times.bubble_us:
        more.append(t("ranks.holds.bubble", us=times.bubble_us))
    if times.pipeline_stage is not None:
        more.append(t("ranks.who.stage", stage=times.pipeline_stage))
    return t("ranks.comma").join((text, *more))
