"""A few fixed inputs of every target; run.py beside this tries as many as there is time for."""

from __future__ import annotations

import pytest
from fuzz_all import TARGETS
from hypothesis import HealthCheck, Phase, given, settings
from mutations import Input

EXAMPLES = 15


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_a_sentence_comes_out(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    target, folder = TARGETS[name], tmp_path / "work"
    folder.mkdir()
    tried = []

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def one(value: Input) -> None:
        tried.append(value)
        target.check(value, folder)

    one()
    assert len(tried) == EXAMPLES
    assert target.about
