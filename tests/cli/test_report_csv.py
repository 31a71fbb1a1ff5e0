"""Cells of the CSV report."""

from __future__ import annotations

import pytest

from npuscope.cli.reporting.as_csv import csv_line


@pytest.mark.parametrize(
    ("cell", "written"),
    [("\x1b[2J\x1b[HAdd", "\ufffd[2J\ufffd[HAdd"), ("=1+1", "'=1+1"), (None, ""), (1.5, "1.5"), ("a,b", '"a,b"')],
)
def test_no_control_code_and_no_formula_leaves(cell, written):
    assert csv_line([cell]) == (written or '""')
