"""Targets over whole runs: folders, archives and trees in which something is broken, from finding to the report."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import mutations
from fuzz_db import seeds as databases
from fuzz_target import FIXTURES, Target, together
from invariants import check_plain, check_problem, check_profile, check_refusal, check_say, check_table, parsed_json
from mutations import Input

from npuscope.cli import report
from npuscope.parsers import archive_members
from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.msprof import reader
from npuscope.parsers.msprof.opprof import visualize
from npuscope.parsers.profile import KINDS, STATES, Run
from npuscope.parsers.say import ParseError

LATER = 4e9
MSPROF = FIXTURES / "msprof"
TREE = ("tree-drop", "tree-rename", "tree-copy", "tree-empty", "tree-move", "tree-swap")
FORMS = (["--json", "--ops", "20"], ["--json"], [], ["--markdown"], ["--csv"], ["--json", "--list"])
Files = dict[str, bytes]


_MINDSPORE = ("aicore", "framework", "aicpu", "step_trace_raw", "output")
_FRAMEWORK = (
    "operator_details", "operator_memory", "memory_record", "api_statistic", "l2_cache", "npu_module_mem",
    "step_trace_time",
)  # fmt: skip
_SETTINGS = b'{"rank_id": 0, "config": {"experimental_config": {"_profiler_level": "Level1"}}}'


@functools.lru_cache(1)
def runs() -> list[tuple[str, Files]]:
    """Small runs of every kind, by name: their files by path."""
    found = [(folder.name, _files_of(folder)) for folder in sorted(MSPROF.iterdir()) if folder.is_dir()]
    beside = sorted((FIXTURES / "files").iterdir())
    raw = {path.name: path.read_bytes() for path in beside if path.name.startswith(_MINDSPORE)}
    found.append(("profiler", {name: data for name, data in raw.items() if "_2" in name and ".json" not in name}))
    database = {"host/info.json": b'{"rank_id": 1}', databases()[0][0]: databases()[0][1]}
    found.append(("PROF_000001_20240102030405006_WITHDATABASEXXXX", database))
    found.append(("host_12_20260102030405006_ascend_pt", _framework()))
    assert all(files for _, files in found)
    return found


def _framework() -> Files:
    output = {f"{stem}.csv": (FIXTURES / "files" / f"{stem}.csv").read_bytes() for stem in _FRAMEWORK}
    output["trace_view.json"] = (FIXTURES / "timeline" / "msprof_20250401202357.json").read_bytes()
    output["kernel_details.csv"] = (MSPROF / "pipe_utilization_crlf.csv").read_bytes()
    files = {f"ASCEND_PROFILER_OUTPUT/{name}": data for name, data in output.items()}
    return {**files, "profiler_info_0.json": _SETTINGS}


def _files_of(folder: Path) -> Files:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= 1 << 16:
            data = path.read_bytes()
            short = b"".join(data.splitlines(keepends=True)[:12]) if path.suffix == ".csv" else data
            found[path.relative_to(folder).as_posix()] = short
    return found


def changed(given: Input, only: str = "") -> tuple[str, Files]:
    """A run with its files, one of them broken, and its tree changed; `only`: runs of that name."""
    chosen = [one for one in runs() if one[0].startswith(only)]
    name, whole = chosen[given.seed % len(chosen)]
    files = dict(whole)
    for kind, a, b, c in given.changes:
        names = sorted(files)
        if not names:
            break
        here, other = names[a % len(names)], names[b % len(names)]
        if kind == "tree-drop":
            del files[here]
        elif kind == "tree-rename":
            suffix = ("_1", " copy", ".bak", "_slice_1", "_20300101000000", "\u4e2d", ".done", "x" * 100)[c % 8]
            stem, dot, end = here.rpartition(".")
            files[f"{stem}{suffix}{dot}{end}"] = files.pop(here)
        elif kind == "tree-copy":
            stem, dot, end = here.rpartition(".")
            files[f"{stem}{('_2', '_slice_0', '_20300101000000')[c % 3]}{dot}{end}"] = files[here]
        elif kind == "tree-empty":
            files[here] = b""
        elif kind == "tree-move":
            files[("data/", "host/", "device_7/", "device_0/summary/", "PROF_1/")[c % 5] + here] = files.pop(here)
        elif kind == "tree-swap":
            files[here], files[other] = files[other], files[here]
        else:
            files[other] = mutations.changed(files[other], [(kind, a, b, c)])
    return name, files


def write(root: Path, files: Files) -> None:
    """The files below a folder, an hour old; where a file stands in the way of a folder it stays."""
    root.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = root / name
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (1.7e9, 1.7e9))


def check_run(run: Run) -> None:
    """What is found can be listed."""
    assert run.kind in KINDS and run.state in STATES
    if run.reason is not None:
        check_say(run.reason)
    for problem in run.problems:
        check_problem(problem)
    for one in run.ignored:
        check_say(one.reason)
    check_plain([run.path, run.name, run.next_command, run.started_at, run.rank, run.size_bytes, run.signature])


def read_all(root: Path) -> None:
    """Every run below a folder, found and read."""
    for run in find_runs(root, LATER):
        check_run(run)
        for read in (reader.read_profile, reader.quick_types):
            try:
                found = read(run)
            except ParseError as error:
                check_refusal(error)
                continue
            if read is reader.read_profile:
                check_profile(found)


def folders(given: Input, folder: Path) -> None:
    """Find, list and read a run as a folder."""
    name, files = changed(given)
    write(folder / name, files)
    try:
        read_all(folder / name if given.choice % 2 else folder)
    finally:
        shutil.rmtree(folder / name)


def launches(given: Input, folder: Path) -> None:
    """The same for the folders of msprof op alone."""
    name, files = changed(given, "OPPROF")
    write(folder / name, files)
    try:
        read_all(folder / name)
    finally:
        shutil.rmtree(folder / name)


def reports(given: Input, folder: Path) -> None:
    """The report command over a run: every form is printed, the JSON one is strict."""
    name, files = changed(given)
    write(folder / name, files)
    form = FORMS[given.choice % len(FORMS)]
    out, complaints = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
            code = report.run(report.parser().parse_args([*form, "--no-cache", str(folder / name)]))
        assert code in (0, 3, 4), code
        out.flush()
        printed = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
        assert "\x1b" not in printed and "\x00" not in printed and "\ufffe" not in printed
        if "--json" in form:
            check_plain(parsed_json(printed))
    finally:
        shutil.rmtree(folder / name)


# ---- archives


def archives(given: Input, folder: Path) -> None:
    """A run in an archive whose bytes, members, names and sizes are not true."""
    path = folder / packed_name(given)
    path.write_bytes(packed(given))
    os.utime(path, (1.7e9, 1.7e9))
    try:
        for run in find_runs(path if given.choice % 2 else folder, LATER):
            check_run(run)
            try:
                check_profile(reader.read_profile(run))
            except ParseError as error:
                check_refusal(error)
        try:
            for member in archive_members.members(path):
                assert ".." not in member.name.split("/") and not member.name.startswith("/")
                assert member.size >= 0
        except ParseError as error:
            check_refusal(error)
        assert [file.name for file in folder.iterdir()] == [path.name]
    finally:
        path.unlink()


SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_NAMES = (
    "../out.csv", "/etc/out.csv", "C:\\out.csv", "a/../../b.csv", "", ".", "x" * 300, "\udcff.csv", "a\x00b", "a//b",
    "./a",
    "PROF_x/host", "PROF_x/host/info.json", "op_summary_20260102030405.csv", "\u4e2d\u6587.csv", "a/" * 200 + "b",
)  # fmt: skip


def packed_name(given: Input) -> str:
    """The archive is called like its run."""
    chosen = runs()[given.seed % len(runs())][0]
    return chosen + SUFFIXES[given.choice // 2 % len(SUFFIXES)]


def packed(given: Input) -> bytes:
    """Packed with odd members, then its bytes changed."""
    name, files = changed(Input(given.seed, tuple(one for one in given.changes if one[0] in TREE)))
    members = [(f"{name}/{file}", data) for file, data in files.items()]
    for kind, a, b, c in given.changes:
        if kind == "member":
            members.insert(b % (len(members) + 1), (_NAMES[a % len(_NAMES)], b"a,b\n1,2\n" * (c % 9)))
    out = io.BytesIO()
    suffix = packed_name(given)[len(name) :]
    if suffix == ".zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if given.choice % 5 else zipfile.ZIP_STORED) as made:
            for member, data in members:
                with contextlib.suppress(ValueError, UnicodeEncodeError, UserWarning):
                    made.writestr(member or "x", data)
    else:
        mode = {"tar": "w", "gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}[suffix.rpartition(".")[2]]
        with tarfile.open(fileobj=out, mode=mode) as made:
            for number, (member, data) in enumerate(members):
                entry = tarfile.TarInfo(member)
                entry.size = len(data)
                entry.mtime = 1.7e9 if number % 3 else -5
                entry.type = tarfile.SYMTYPE if member.startswith("/") and number % 2 else tarfile.REGTYPE
                made.addfile(entry, io.BytesIO(data))
    return mutations.changed(out.getvalue(), given.changes)


# ---- visualize_data.bin


@functools.lru_cache(1)
def _binaries() -> list[bytes]:
    return [path.read_bytes() for path in sorted(MSPROF.glob("**/visualize_data.bin")) if path.stat().st_size < 1 << 20]


def _binary(given: Input) -> bytes:
    """Blocks with changed JSON in them under a true head, or with heads that are not true."""
    whole = _binaries()[given.seed % len(_binaries())]
    blocks = []
    at = 0
    while at + 12 <= len(whole) and len(blocks) < 60:
        size = int.from_bytes(whole[at : at + 8], "little")
        blocks.append((whole[at + 8 : at + 12], whole[at + 12 : at + 12 + size]))
        at += 12 + size
    for kind, a, b, c in given.changes:
        if kind in mutations.JSON and blocks:
            head, content = blocks[b % len(blocks)]
            padding = head[1]
            body = content[: len(content) - padding] if padding else content
            blocks[b % len(blocks)] = (head, mutations.changed(body, [(kind, a, c, b)]) + b"\0" * padding)
        elif kind == "block-copy" and blocks:
            blocks.insert(a % (len(blocks) + 1), blocks[b % len(blocks)])
        elif kind == "block-type" and blocks:
            head, content = blocks[a % len(blocks)]
            blocks[a % len(blocks)] = (bytes([b % 20]) + bytes([c % 9]) + head[2:], content)
    made = b"".join(len(content).to_bytes(8, "little") + head + content for head, content in blocks)
    return mutations.changed(made, given.changes, 1 << 22) if given.choice % 3 == 0 else made


def binaries(given: Input, folder: Path) -> None:
    """visualize_data.bin, with its cache lines and without."""
    path = folder / visualize.NAME
    path.write_bytes(_binary(given))
    try:
        found = visualize.read(str(path), cachelines=bool(given.choice % 2))
        for table in (found.blocks, found.load, found.memory, found.cachelines):
            if table is not None:
                check_table(table)
        check_plain([found.name, found.soc, [vars(one) for one in found.advice], found.types])
    except ParseError as error:
        check_refusal(error)


def _tar(given: Input, only: str = "") -> bytes:
    """A changed run as one piece, to be kept beside a failure."""
    out = io.BytesIO()
    name, files = changed(given, only)
    with tarfile.open(fileobj=out, mode="w") as made:
        for file, data in files.items():
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size = len(data)
            made.addfile(entry, io.BytesIO(data))
    return out.getvalue()


_RUN = mutations.inputs((*mutations.CSV, *mutations.JSON, *TREE, *TREE))
_BLOCKS = (*mutations.JSON, *mutations.JSON, "block-copy", "block-type", "cut", "flip", "insert", "zeros")
TARGETS: tuple[Target, ...] = (
    Target("folders", _RUN, folders, _tar, "runs of every kind as trees: found, listed, read"),
    together(
        "launches",
        (
            Target("launches", _RUN, launches, functools.partial(_tar, only="OPPROF")),
            Target("binaries", mutations.inputs(_BLOCKS), binaries, _binary),
        ),
        "msprof op: all csv, simulator, trees, visualize_data.bin",
    ),
    Target("reports", _RUN, reports, _tar, "the report command over such runs, in every form"),
    Target(
        "archives",
        mutations.inputs((*mutations.BYTES, "member", "member", "member", *TREE)),
        archives,
        packed,
        "zip and tar: members, names, sizes, bytes",
    ),
)
