"""Every text in tests/fixtures/npu_smi, against what its .json says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from npuscope.parsers.npu_smi import groups, mapping, watch
from npuscope.parsers.npu_smi.info import InfoTable, parse_info
from npuscope.tui.text import has

FOLDER = Path(__file__).parents[1] / "fixtures" / "npu_smi"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def known(record: Any) -> dict[str, Any]:
    """A record without what is unknown or off, tuples as JSON has them."""
    values = asdict(record)
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None and v is not False}


def of_info(table: InfoTable) -> dict[str, Any]:
    return {
        "tool_version": table.tool_version,
        "driver_version": table.driver_version,
        "processes_known": table.processes_known,
        "chips": [known(chip) for chip in table.chips],
        "processes": [known(process) for process in table.processes],
        "problems": [problem.code for problem in table.problems],
    }


def of_rows(rows: Any) -> list[Any]:
    if isinstance(rows, mapping.Cards):
        return [rows.total, *map(known, rows.cards)]
    if isinstance(rows, Mapping):
        return [[*key, value] for key, value in rows.items()]
    return [known(row) for row in rows if is_dataclass(row)]


PARSERS: dict[str, Callable[[str], Any]] = {
    "usages": groups.parse_usages,
    "common": groups.parse_common,
    "board": groups.parse_board,
    "health": groups.parse_health,
    "temp": groups.parse_temperature,
    "power": groups.parse_power,
    "proc-mem": groups.parse_proc_mem,
    "watch": watch.parse_watch,
    "mapping": mapping.parse_mapping,
    "list": mapping.parse_list,
}


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_bytes().decode("utf-8", "replace")
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    command = expected.pop("command")
    if command == "info":
        table = parse_info(text, expected.pop("returncode", 0))
        assert of_info(table) == expected
        assert table.chips or table.problems
        for problem in table.problems:
            assert has(problem.message.key)
            assert problem.hint is not None and has(problem.hint.key)
    else:
        assert of_rows(PARSERS[command](text)) == expected["rows"]


def test_every_text_has_its_json_and_its_origin() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES
    origins = (FOLDER / "ORIGIN.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| {name} | " not in origins] == []
