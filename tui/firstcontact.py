"""The Live screen of a box without NPU and without a profile: what was looked for, and what one can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npuscope.sources.box import Box
from npuscope.tui.text import t

NAME, STATE, WHERE = 2, 12, 23
WORD, WHAT = 6, 12
EXPLAINED = 31

Text = tuple[int, str, str]  # column, text, token


@dataclass(frozen=True)
class Line:
    """A rule (title set) or texts at columns; without either a blank line. `action` = what a click does."""

    texts: Sequence[Text] = ()
    title: str = ""
    meta: str = ""
    action: str | None = None


def lines_of(box: Box, root: str, watched: str) -> list[Line]:
    """The lines, top to bottom; `watched` says how the folder is watched."""
    return [
        *_looked(box, root),
        Line(),
        Line(title=t("first.do")),
        _key("d", t("first.demo"), t("first.demo.what"), "demo"),
        _key("o", t("first.open"), t("first.open.what"), "open"),
        _key("?", t("first.help"), t("first.help.what"), "app.help"),
        Line(),
        _command("npuscope doctor", t("first.doctor.what")),
        _command("npuscope --source replay:FILE", t("first.replay.what")),
        Line(),
        Line(title=t("first.waiting")),
        Line([(NAME, t("first.watched", root=root, how=watched), "text")]),
        Line([(NAME, t("first.watched.more"), "text")]),
    ]


def _looked(box: Box, root: str) -> list[Line]:
    no, yes = t("first.not_found"), t("first.found")
    devices = t("first.driver.devices", n=box.devices) if box.devices else t("first.driver.where")
    return [
        Line(title=t("first.looked"), meta=t("first.again")),
        _state(t("first.smi"), yes if box.smi else no, box.smi or t("first.smi.where")),
        _state(t("first.driver"), t("first.there") if box.devices else t("first.not_there"), devices),
        _state(t("first.msprof"), yes if box.msprof else no, box.msprof or t("first.msprof.where")),
        _state(t("first.profiles"), "0", t("first.profiles.where", root=root)),
    ]


def _state(name: str, state: str, where: str) -> Line:
    return Line([(NAME, name, "text"), (STATE, state, "bright"), (WHERE, where, "dim")])


def _key(key: str, word: str, what: str, action: str) -> Line:
    return Line([(NAME, key, "accent!"), (WORD, word, "text!"), (WHAT, what, "dim")], action=action)


def _command(command: str, what: str) -> Line:
    return Line([(NAME, command, "text"), (EXPLAINED + 2, what, "dim")])
