"""What the Profiles screen says about the runs: its answer, and the pane under the list. Pure."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.cells import cell_len

from npuscope.parsers.discovery.listing import closed_folders
from npuscope.parsers.profile import Run
from npuscope.sources.inside import Inside
from npuscope.tui.runs.columns import CHANGE_SHOWN_PCT, short_name
from npuscope.tui.runs.view import READABLE, RunView, state_of, told
from npuscope.tui.text import has, t
from npuscope.tui.text import told as said
from npuscope.tui.widgets.answer import Answer

if TYPE_CHECKING:
    from npuscope.tui.session import Headline

_NUMBERED = re.compile(r"(PROF_\d+)_")
NEEDS = ("collected", "partial", "empty", "unreadable", "damaged")
FILES_NAMED = 3


@dataclass(frozen=True)
class Line:
    """One line of the pane: the word on its left, the text, its token."""

    label: str
    text: str
    token: str = "text"


@dataclass(frozen=True)
class Place:
    """What the pane may say beyond the run itself: what was counted in its folder, where its command's program is,
    and how that command is getting on."""

    inside: Inside | None = None
    program: str = ""
    runnable: bool = False
    running: str = ""


def where(roots: Sequence[str], cwd: str) -> str:
    """The watched folders in few words: ./prof, /data/prof, 3 folders."""
    if len(roots) != 1:
        return t("profiles_screen.folders", n=len(roots))
    root = os.path.abspath(roots[0])  # noqa: PTH100 (links stay as they were named)
    if root == cwd:
        return "./"
    return "./" + root[len(cwd) + 1 :] if root.startswith(cwd.rstrip("/") + "/") else root


def watched_in_words(how: str) -> str:
    """How the folders are watched, from the source's short form: `events`, `polling (nfs)`, or several of these."""
    polled = re.search(r"polling \((.*?)\)", how)
    if polled is None:
        return t("watch.events") if how else ""
    key = "watch." + polled.group(1).replace(" ", "_")
    return t(key) if has(key) else t("watch.kind", kind=polled.group(1))


def name_in_words(run: Run, runs: Iterable[Run]) -> str:
    """PROF_000002 where no other run bears that number, else the name."""
    found = _NUMBERED.match(run.name)
    if found is None:
        return run.name
    alike = sum(1 for other in runs if other.name.startswith(found.group(0)))
    return found.group(1) if alike <= 1 else short_name(run.name)


def counts_in_words(runs: Sequence[Run]) -> str:
    """`9 ready, 1 being exported, 4 need something`."""
    by_state = Counter(run.state for run in runs)
    numbers = (
        ("ready", by_state["ready"]),
        ("exporting", by_state["exporting"]),
        ("collecting", by_state["collecting"]),
        ("needs", sum(by_state[state] for state in NEEDS)),
    )
    told_ = [t(f"profiles_screen.count.{what}" + (".one" if n == 1 else ""), n=n) for what, n in numbers if n]
    return t("profiles_screen.comma").join(told_)


def answer_of(view: RunView, known: bool, place: str, width: int) -> Answer:
    """The two lines on top; `known` = the folders were looked at, `place` = their name in words."""
    if not known:
        return Answer("none", t("profiles_screen.looking", place=place))
    if not view.runs:
        return Answer("none", t("profiles_screen.none", place=place), t("profiles_screen.none.do"))
    key = "profiles_screen.runs.one" if len(view.runs) == 1 else "profiles_screen.runs"
    counts = counts_in_words(view.runs)
    first = t(key, n=len(view.runs), place=place, counts=counts)
    if cell_len(first) > width - 4:
        first = t(key + ".short", n=len(view.runs), counts=counts)
    newest = next((run for run in view.runs if run.state == "ready"), None)
    return Answer("info", first, "" if newest is None else newest_in_words(view, newest, width - 4))


def newest_in_words(view: RunView, run: Run, cells: int) -> str:
    """The newest run that is ready: its time, its utilization, and what changed, as far as there is room for."""
    headline = view.headline(run)
    name = name_in_words(run, view.runs)
    if headline is None:
        return t("profiles_screen.newest", name=name)
    if not told(headline):
        reason = said(headline.problem.message) if headline.problem else ""
        return t("profiles_screen.newest.unreadable", name=name, reason=reason)
    key = "profiles_screen.newest.total" if headline.aicore_pct is None else "profiles_screen.newest.core"
    change = view.change_pct(run)
    endings = [change_in_words(change, ".before"), change_in_words(change, ""), ""] if change is not None else [""]
    sentence = ""
    for ending in endings:
        sentence = t(key, name=name, us=headline.total_us, pct=headline.aicore_pct, change=ending)
        if cell_len(sentence) <= cells:
            return sentence
    return t("profiles_screen.newest.total", name=name, us=headline.total_us, change="")


def change_in_words(pct: float, ending: str) -> str:
    """`, 4.1 % faster than the run before it`."""
    if abs(pct) < CHANGE_SHOWN_PCT:
        return t("profiles_screen.change.none" + ending, pct=abs(pct))
    return t(("profiles_screen.change.faster" if pct < 0 else "profiles_screen.change.slower") + ending, pct=abs(pct))


def detail_of(view: RunView, run: Run, place: Place) -> list[Line]:
    """The pane: what is there, what it lacks, what to do."""
    headline = view.headline(run)
    lines = [Line("there", there_in_words(run, place.inside))]
    lines += _contents(view, run, headline)
    if run.state != "ready" and run.reason is not None:
        lines.append(Line("lacks", said(run.reason)))
    lines += _notes(run, headline)
    return lines + _what_to_do(run, place, headline is None or told(headline))


def _contents(view: RunView, run: Run, headline: Headline | None) -> list[Line]:
    if headline is None:
        return [Line("holds", t("profiles_screen.reading"), "dim")] if run.state in READABLE else []
    if not told(headline):
        return [Line("lacks", said(headline.problem.message))] if headline.problem else []
    parts = [t("profiles_screen.holds", ops=headline.ops, us=headline.total_us)]
    if headline.aicore_pct is not None:
        parts.append(t("profiles_screen.holds.core", pct=headline.aicore_pct))
    if headline.label_pct is not None:
        parts.append(t("profiles_screen.holds.label", label=t(f"label.{headline.label}.long"), pct=headline.label_pct))
    lines = [Line("holds", t("profiles_screen.comma").join(parts))]
    earlier, change = view.before(run), view.change_pct(run)
    if earlier is not None and change is not None:
        name = view.doubles.get(earlier.path) or short_name(earlier.name)
        text = t("profiles_screen.against", change=change_in_words(change, ".alone"), name=name)
        lines.append(Line("change", text))
    return lines


def _notes(run: Run, headline: Headline | None) -> list[Line]:
    """What a person must know before believing the numbers."""
    notes = []
    if run.state == "ready" and run.reason is not None:
        notes.append(Line("note", said(run.reason)))
    problems = list(run.problems) if run.state not in ("unreadable", "damaged") else []
    if headline is not None and headline.problem is not None and told(headline):
        problems.append(headline.problem)
    seen: set[str] = set()
    for problem in problems:
        if problem.code not in seen:
            seen.add(problem.code)
            notes.append(Line("note", said(problem.message)))
    return notes


def _what_to_do(run: Run, place: Place, holds: bool) -> list[Line]:
    if place.running:
        return [Line("runs", place.running, "accent")]
    lines = []
    if run.state in READABLE and holds:
        lines.append(Line("do", t("profiles_screen.do.enter"), "dim" if run.state == "ready" else "text"))
    if run.next_command:
        lines.append(Line("" if lines else "do", run.next_command, "bright"))
        key = "runnable" if place.runnable else "lacking" if place.program else "copy"
        lines.append(Line("", t("profiles_screen.do." + key, program=place.program)))
    elif run.state in ("collecting", "exporting"):
        lines.append(Line("do", t("profiles_screen.do.wait"), "dim"))
    elif not lines:
        hint = next((problem.hint for problem in run.problems if problem.hint is not None), None)
        lines.append(Line("do", said(hint) if hint is not None else t("profiles_screen.do.again")))
    return lines


def there_in_words(run: Run, inside: Inside | None) -> str:
    """The files a reader opens; where there are none, what was counted in the folder."""
    if run.files:
        named = t("profiles_screen.list_comma").join(run.files[:FILES_NAMED])
        if len(run.files) > FILES_NAMED:
            named = t("profiles_screen.there.more", files=named, n=len(run.files) - FILES_NAMED)
        text = t("profiles_screen.there.files", files=named, size=run.size_bytes)
        if run.ignored:
            text += t("profiles_screen.there.ignored", n=len(run.ignored), reason=said(run.ignored[0].reason))
        return text
    if inside is None:
        return run.path
    if not inside.files:
        return t("profiles_screen.there.nothing", path=run.path)
    names = t("profiles_screen.list_comma").join(inside.names[:FILES_NAMED])
    if len(inside.names) > FILES_NAMED:
        names = t("profiles_screen.there.more", files=names, n=len(inside.names) - FILES_NAMED)
    key = "profiles_screen.there.folder" if inside.whole else "profiles_screen.there.folder.part"
    text = t(key + (".one" if inside.files == 1 else ""), names=names, size=inside.size_bytes, n=inside.files)
    told_ = [inside.metadata.chip or inside.metadata.family, inside.metadata.aic_metrics, inside.metadata.level]
    facts = t("profiles_screen.list_comma").join(fact for fact in told_ if fact)
    return t("profiles_screen.there.facts", text=text, facts=facts) if facts else text


def title_meta(run: Run, headline: Headline | None = None) -> str:
    """Right of the pane's title: state and kind."""
    return t("profiles_screen.comma").join(
        (t("profiles.state." + state_of(run, headline)), t("profiles.kind." + run.kind))
    )


def note_of(view: RunView, known: bool, text: str, closed: Sequence[str] = ()) -> list[str]:
    """What stands in the place of rows."""
    if not known:
        return []
    if view.runs:
        return [t("profiles_screen.no_match", filter=text, n=len(view.runs))]
    lines = [t("profiles_screen.none." + what) for what in ("what", "collect", "demo")]
    return [said(closed_folders(closed)), *lines] if closed else lines


def meta_of(view: RunView, text: str, place: str, watched: str, closed: Sequence[str] = ()) -> str:
    """Right of the list's title: the filter, else a sort that leaves runs out, else where they lie; there the folders
    that could not be read come before how the rest is watched.
    """
    if view.conditions:
        return t("profiles_screen.meta.filter", shown=len(view.shown), n=len(view.runs), filter=text)
    if view.sort_column in ("chip", "ops", "total", "core", "label", "change"):
        column = t(f"profiles_screen.head.{view.sort_column}", unit="").strip()
        return t("profiles_screen.meta.sorted", column=column)
    if closed:
        names = closed_folders([PurePath(path).name for path in closed])
        return t("profiles_screen.meta.closed", place=place, closed=said(names))
    return t("profiles_screen.meta", place=place, watched=watched_in_words(watched)) if watched else place
