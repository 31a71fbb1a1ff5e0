"""How often the cores are filled to run all blocks."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.analysis import chips
from npuscope.analysis.blocks import waves
from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.table import Strings, Table

FIXTURES = Path(__file__).parent.parent / "fixtures" / "msprof"
LATER = time.time() + 3600


def test_blocks_are_counted_in_cores_of_their_kind():
    chip = chips.find("Ascend910B2")
    assert (chip.cube_cores, chip.vector_cores) == (24, 48)
    ops = Table({
        "block_dim": np.array([1, 48, 49, 24, 25, -1, 0]),
        "core": Strings.of([*["AI_VECTOR_CORE"] * 3, "AI_CORE", "MIX_AIC", "AI_CORE", "AI_CORE"]),
    })  # fmt: skip
    assert waves(ops, chip).tolist() == pytest.approx([1, 1, 2, 1, 2, np.nan, np.nan], nan_ok=True)
    assert np.isnan(waves(ops, None)).all()


def test_only_launches_of_msprof_op_carry_them():
    name = "OPPROF_20260522153002_VOLKCJSNUQUHBFUS"
    assert summarize(read_profile(look_at(FIXTURES / name, LATER))).ops.numbers("waves").tolist() == [1.0]
    assert "waves" not in summarize(read_profile(look_at(FIXTURES / "pipe_utilization_crlf.csv", LATER))).ops
