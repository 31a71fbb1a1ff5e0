"""Targets over JSON and TOML: metadata, communication, suggestions, timelines, recordings, settings."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from unittest import mock

import fuzz_live
import mutations
from fuzz_target import FIXTURES, Target, one_file, seeds_of, together
from invariants import check_plain, check_problem, check_refusal, check_table, same_tables
from mutations import Input

from npuscope.cli import config
from npuscope.parsers import reading_json
from npuscope.parsers.msprof import files, info, rank_info
from npuscope.parsers.msprof.traces import timeline, trace, trace_events
from npuscope.parsers.npu_smi.info import parse_info
from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Reading, SourceInfo
from npuscope.parsers.say import ParseError
from npuscope.sources import recording

MSPROF = FIXTURES / "msprof"
METADATA = seeds_of([
    *MSPROF.glob("**/info.json*"), *MSPROF.glob("**/sample.json"), *MSPROF.glob("**/profiler_*.json"),
    *(FIXTURES / "ranks").glob("**/profiler_*.json"),
])  # fmt: skip
DOCUMENTS = seeds_of([
    *FIXTURES.glob("**/communication*.json"), *(FIXTURES / "files").glob("prof_rule*.json"),
])  # fmt: skip
TEXTS = seeds_of([*MSPROF.glob("**/op_basic_info.txt"), *FIXTURES.glob("**/*.stdout"), *MSPROF.glob("**/README.txt")])
_ENTRIES = json.loads(next(data for name, data in DOCUMENTS if name == "communication.json"))
_KINDS = next(iter(_ENTRIES.values()))
_CLUSTER = {kind: {"step1": {op: {"0": told} for op, told in ops.items()}} for kind, ops in _KINDS.items()}
DOCUMENTS += [(f"cluster_communication{part}.json", json.dumps(_CLUSTER).encode()) for part in ("", "_matrix")]
TRACES = seeds_of([*(FIXTURES / "timeline").glob("*.json"), *MSPROF.glob("**/trace.json")])
TRACES.append(
    ("trace_view.json", b'{"traceEvents": %b, "x": 1}' % next(data for _, data in TRACES if data.lstrip()[:1] == b"["))
)
CONFIG = [("config.toml", b"""theme = "light"
lang = "zh"
interval = 2.0
npu-smi = "sudo npu-smi"
chip = "910B3"
hbm-gbps = 1600
ascii = true

[thresholds]
MOVES_CUBE = 0.85
""")]  # fmt: skip


def _recorded() -> list[tuple[str, bytes]]:
    text = (FIXTURES / "npu_smi" / "910B4-1_25.2.2_info_2cards_vllm.txt").read_text(encoding="utf-8")
    table = parse_info(text)
    source = SourceInfo("npu-smi", "npu-smi info", "25.2.2", "25.2.2", True)
    reading = Reading(1.7e9, 0.3, source, chips=table.chips, processes=table.processes, problems=table.problems)
    line = json.dumps(reading_json.to_json(reading, (), lambda sentence: sentence.key)).encode()
    return [("readings.jsonl", line), ("readings.jsonl", line + b"\n" + line + b"\n")]


def metadata(path: Path, given: Input) -> None:
    """info.json, sample.json, profiler_info: in a PROF folder and in a framework's."""
    top = path.parent / "made"
    places = [top / "host", top / "device_0", top]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        for name in (path.name, f"{path.name}.0", "profiler_metadata.json", "sample.json"):
            (place / name).write_bytes(path.read_bytes())
    for kind in ("msprof", "torch_npu"):
        run = Run(str(top), top.name, kind, "ready")
        check_plain(vars(info.of_prof(top) if kind == "msprof" else info.of_framework(top)))
        check_plain(vars(rank_info.read_rank_info(run)))
    for place in places:
        for file in place.iterdir():
            if file.is_file():
                file.unlink()


def documents(path: Path, given: Input) -> None:
    """communication.json, communication_matrix.json, prof_rule, settings, logs: as the table of the file."""
    try:
        sight = files.read_file(str(path))
    except ParseError as error:
        check_refusal(error)
        return
    check_table(sight.found.table)


def timelines(path: Path, given: Input) -> None:
    """With msgspec and without; what both read whole is the same."""
    found = []
    ways = [trace_events.decode_plainly]
    with contextlib.suppress(ImportError):
        ways.append(trace_events._with_msgspec())
    for way in ways:
        with mock.patch.object(timeline, "decoder", lambda way=way: way):
            try:
                one = timeline.read(str(path))
            except ParseError as error:
                check_refusal(error)
                continue
        for table in (one.events, one.frequency, one.table(), one.steps(), one.overlap(timeline.FREE)):
            check_table(table)
        for problem in one.problems:
            check_problem(problem)
        found.append(one)
    if len(found) == 2:
        same_tables(found[0].events, found[1].events)
        assert [problem.code for problem in found[0].problems] == [problem.code for problem in found[1].problems]
    documents(path, given)
    told = trace.check_trace(path)
    if told is not None:
        check_problem(told)


def recordings(path: Path, given: Input) -> None:
    """Lines of readings: read back, and printed again."""
    try:
        readings = recording.read_recording(path)
    except ParseError as error:
        check_refusal(error)
        return
    for reading in readings:
        document = reading_json.to_json(reading, (), lambda sentence: sentence.key)
        check_plain(document)


def settings(path: Path, given: Input) -> None:
    """config.toml: settings, or one sentence."""
    import argparse

    from npuscope.cli import options

    parser = argparse.ArgumentParser()
    options.add_text_options(parser)
    options.add_profile_options(parser)
    try:
        config.apply(parser, ["--config", str(path)], {})
        parser.parse_args(["--config", str(path)])
    except config.ConfigError as error:
        assert str(error)
        str(error).encode("utf-8")


TARGETS: tuple[Target, ...] = (
    together(
        "documents",
        (
            one_file("metadata", METADATA, mutations.JSON_TEXT, metadata),
            one_file("documents", DOCUMENTS, mutations.JSON_TEXT, documents),
            one_file("settings", METADATA, mutations.JSON_TEXT, documents),
            one_file("texts", TEXTS, (*mutations.BYTES, "copy-line", "drop-line", "end-lines"), documents),
        ),
        "info, sample, profiler_info and _metadata, communication and its matrix, those of a cluster, prof_rule, logs",
    ),
    replace(
        one_file("timelines", TRACES, mutations.JSON_TEXT, timelines),
        about="trace_view, msprof json: with msgspec, without, and that they agree",
    ),
    together(
        "own",
        (
            one_file("recordings", _recorded(), mutations.JSON_TEXT, recordings),
            one_file("settings", CONFIG, (*mutations.BYTES, "drop-line", "copy-line", "nest"), settings),
            fuzz_live.PART,
            fuzz_live.PART,
        ),
        "npu-smi (info, groups, watch, mapping, list), recorded readings, config.toml",
    ),
)
