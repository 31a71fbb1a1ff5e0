"""All files of a run: what each is, how large, and whether it is read with the run, passed over, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.parsers.archive_members import members
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery import msprof as discovery_msprof
from npuscope.parsers.discovery import torch as discovery_torch
from npuscope.parsers.discovery.files import Fact, Folder, fact_of
from npuscope.parsers.discovery.msprof import newest_export
from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.extras import MOST_BYTES, STREAMED, is_read
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, Say, say

MOST_FILES = 20_000
MOST_DEPTH = 12
# how a file is used: of the operators, or with them; passed over for a reason; only looked at; by nobody but the vendor
READ, IGNORED, SHOWN, RAW, UNKNOWN = "read", "ignored", "shown", "raw", "unknown"
_NEWEST = ("api_statistic", "fusion_op", "operator_memory", "l2_cache", "step_trace", "step_trace_time")
_WITH_ALL = ("settings", "viewer")
_OUTPUTS = {"msprof": discovery_msprof.OUTPUT, **dict.fromkeys(("torch_npu", "mindspore"), discovery_torch.OUTPUT)}
_ANY = re.compile(r".+")


@dataclass(frozen=True)
class RunFile:
    """One file. `path` is what it can be asked for by, `file` its path from the run's place on."""

    path: str
    file: str
    kind: str | None
    size: int
    changed_at: float
    use: str
    reason: Say | None = None

    @property
    def opens(self) -> bool:
        """Whether it can be shown as a table."""
        return self.use != RAW and self.size > 0 and (self.kind is not None or self.file.casefold().endswith(".csv"))


@dataclass(frozen=True)
class RunFiles:
    """The files of a run, those that are read first; `problems` tell what could not be listed."""

    files: tuple[RunFile, ...]
    problems: tuple[Problem, ...] = ()


def files_of(run: Run) -> RunFiles:
    """Every file of a run, of joined runs those of each. Nothing is opened, of an archive only its list of names."""
    if run.parts:
        listed = [(part, files_of(part)) for part in run.parts]
        named = (_within(part, one) for part, found in listed for one in found.files)
        return RunFiles(tuple(named), tuple(problem for _, found in listed for problem in found.problems))
    problems: list[Problem] = []
    try:
        base, facts = _facts(run, problems)
    except ParseError as error:
        return RunFiles((), (error.problem,))
    if len(facts) > MOST_FILES:
        facts = facts[:MOST_FILES]
        problems.append(Problem("files-left-out", say("files.problem.first-files", n=MOST_FILES), file=run.path))
    used = _Uses(run, facts)
    cut = len(_shared_folder(facts)) if inside(run.path) is not None else 0
    found = [_file(base, one, cut, *used.of(one)) for one in facts]
    return RunFiles(tuple(sorted(found, key=_order)), tuple(problems))


def _shared_folder(facts: Sequence[Fact]) -> str:
    """The folder that holds all of an archive, with its slash; "" when there is none."""
    tops = {one.file.partition("/")[0] for one in facts if "/" in one.file}
    return f"{tops.pop()}/" if len(tops) == 1 and all("/" in one.file for one in facts) else ""


def _within(part: Run, one: RunFile) -> RunFile:
    return RunFile(one.path, f"{part.name}/{one.file}", one.kind, one.size, one.changed_at, one.use, one.reason)


def _facts(run: Run, problems: list[Problem]) -> tuple[str, list[Fact]]:
    found = inside(run.path)
    if found is not None:
        archive, rest = found
        prefix = f"{rest}/" if rest else ""
        held = [one for one in members(archive) if one.name.startswith(prefix)]
        return run.path, [Fact(one.name[len(prefix) :], one.size, one.changed_at) for one in held]
    path = Path(run.path)
    alone = fact_of(path)
    if alone is not None and not (run.files and len(run.files) > 1):
        return str(path.parent), [alone]
    folder = path.parent if alone is not None else path
    return str(folder), list(_walk(Folder.of(folder), "", MOST_DEPTH, problems))


def _walk(folder: Folder, prefix: str, depth: int, problems: list[Problem]) -> Iterator[Fact]:
    """Links to folders are not followed: they lead elsewhere."""
    if folder.error is not None:
        why = folder.error.strerror or str(folder.error)
        text = say("profiles.reason.os", path=str(folder.path), reason=why)
        problems.append(Problem("permission", text, file=str(folder.path)))
    yield from folder.facts(_ANY, prefix)
    for name in folder.folders() if depth else ():
        if not folder.entries[name].is_symlink():
            yield from _walk(folder.sub(name), f"{prefix}{name}/", depth - 1, problems)


class _Uses:
    """What a run does with its files."""

    def __init__(self, run: Run, facts: Sequence[Fact]) -> None:
        self._run = run
        self._ignored = {one.file: one.reason for one in run.ignored}
        self._newest = set(_newest(facts))
        self._streamed = set(_streamed(run, facts))

    def of(self, one: Fact) -> tuple[str, Say | None]:
        """How a file is used, and of one that is passed over the reason."""
        kind = files.kind_of(one.name)
        if any(_is(one.file, file) for file in self._run.files):
            return READ, None
        reason = next((why for file, why in self._ignored.items() if _is(one.file, file) or _in(one.file, file)), None)
        if reason is not None:
            return IGNORED, reason
        if kind in _NEWEST:
            if one.file not in self._newest:
                return IGNORED, say("profiles.ignored.older-export")
            return (READ, None) if one.size <= MOST_BYTES else (SHOWN, None)
        if kind in _WITH_ALL or one.file in self._streamed:
            return READ, None
        return {None: UNKNOWN, "raw": RAW}.get(kind, SHOWN), None


def _is(path: str, file: str) -> bool:
    return path == file or path.endswith(f"/{file}")


def _in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") or f"/{folder}/" in path


def _newest(facts: Iterable[Fact]) -> Iterator[str]:
    """Of each kind in each folder the newest export; a file of its own kind is that one."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for one in facts:
        kind = files.kind_of(one.name)
        if kind in _NEWEST:
            groups.setdefault((one.file.rpartition("/")[0], str(kind)), []).append(one)
    for group in groups.values():
        yield newest_export(group, _ANY)[0].file


def _streamed(run: Run, facts: Iterable[Fact]) -> Iterator[str]:
    """The timeline with its slices, and the JSON files of collectives, that are read with the run; not those of a run
    within it.
    """
    output = _OUTPUTS.get(run.kind)
    top = [one for one in facts if one.size and one.file.split("/")[-2:-1] == [output]]
    depth = min((one.file.count("/") for one in top), default=0)
    own = [one for one in top if one.file.count("/") == depth]
    for pattern in STREAMED:
        group = [one for one in own if pattern.fullmatch(one.name)]
        newest = newest_export(group, pattern) if group else []
        if newest and is_read(newest[0].name, sum(one.size for one in newest)):
            yield from (one.file for one in newest)


def _file(base: str, fact: Fact, cut: int, use: str, reason: Say | None) -> RunFile:
    path, kind = f"{base}/{fact.file}", files.kind_of(fact.name)
    if not fact.readable:
        use, reason = IGNORED, say("profiles.reason.permission", path=path)
    return RunFile(path, fact.file[cut:], kind, fact.size, fact.changed_at, use, reason)


_USES = (READ, SHOWN, IGNORED, UNKNOWN, RAW)


def _order(one: RunFile) -> tuple[int, int, str]:
    return _USES.index(one.use), int(one.kind in files.LINES), one.file
