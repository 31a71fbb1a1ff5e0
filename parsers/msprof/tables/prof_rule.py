"""prof_rule_*.json: what msprof's own rules suggest, a row for each suggestion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from npuscope.parsers.columns import MISSING
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import inspect, refusal
from npuscope.parsers.json_text import loads
from npuscope.parsers.msprof.tables.record_tables import Row, table_of
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

PATTERN = re.compile(r"prof_rule(?:_\d{1,10})*(?:_\d{14})?\.json")
LARGEST = 32 << 20
COLUMNS = {"section": str, "rule": str, "subject": str, "suggestion": str, "operators": str, "count": int}
_SHOWN = 20  # names of operators in one cell


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """section rule subject suggestion operators (names, joined) count (of them). Raises ParseError."""
    return CsvTable(path, table_of(list(_suggestions(_document(path))), COLUMNS), ())


def _document(path: str) -> Mapping[str, Any]:
    name = Path(path).name
    if inspect(path).size > LARGEST:
        raise ParseError(Problem("too-large", say("files.problem.too-large", file=name, most=LARGEST), file=path))
    try:
        found = loads(Path(path).read_bytes().decode("utf-8-sig", "replace"))
    except OSError as error:
        raise refusal(path, error) from None
    except (ValueError, RecursionError):
        found = None
    sections = found.get("data") if isinstance(found, dict) else None
    if not isinstance(sections, dict):
        raise ParseError(Problem("invalid-json", say("files.problem.not-json", file=name), file=path))
    return sections


def _suggestions(sections: Mapping[str, Any]) -> Iterator[Row]:
    for section, rules in sections.items():
        for rule in _objects(rules):
            for result in _objects(rule.get("result")):
                data = result.get("Tuning Data")
                names = [text for text in data if isinstance(text, str)] if isinstance(data, list) else []
                names = [text for text in names if text not in MISSING]
                yield {
                    "section": section,
                    "rule": rule.get("Rule Type"),
                    "subject": result.get("Rule Subtype"),
                    "suggestion": result.get("Rule Suggestion"),
                    "operators": ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else ""),
                    "count": len(names),
                }


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
