"""`npuscope doctor --thresholds`: every number a label or a finding turns on, its unit, default and source."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict

from npuscope.analysis.threshold_list import ORIGINS, RANGES, UNITS, Listed, listed
from npuscope.cli.printing.textcolumns import columns
from npuscope.tui.text import plain, t

SCHEMA = "npuscope.thresholds/1"


def show(args: argparse.Namespace, ascii_only: bool) -> int:
    """Print the list; always 0."""
    found = listed(dict(args.limits))
    if args.json:
        print(json.dumps(document(found, args.config_file), ensure_ascii=ascii_only))
        return 0
    for line in lines(found, args.config_file):
        print(plain(line) if ascii_only else line)
    return 0


def document(found: tuple[Listed, ...], config_file: str | None) -> dict[str, object]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "config": config_file,
        "thresholds": [{**asdict(one), "changed": one.changed} for one in found],
        "origins": dict(ORIGINS),
    }


def lines(found: tuple[Listed, ...], config_file: str | None) -> Iterator[str]:
    """What may be set and how, the table, and the works that the sources name."""
    yield t("thresholds.about", file=config_file or "config.toml")
    yield ""
    for unit in UNITS:
        least, most = RANGES[unit]
        yield "  " + t(f"thresholds.unit.{unit}", unit=unit, least=f"{least:g}", most=f"{most:g}")
    yield ""
    heads = [t(f"thresholds.head.{name}") for name in ("name", "value", "unit", "default", "source")]
    rows = [
        [f"{'*' if one.changed else ' '} {one.name}", f"{one.value:g}", one.unit, f"{one.default:g}", one.source]
        for one in found
    ]
    yield from columns([[f"  {heads[0]}", *heads[1:]], *rows], {1, 3})
    yield ""
    yield t("thresholds.origins")
    yield from columns([[f"  [{name}]", title] for name, title in ORIGINS.items()])
