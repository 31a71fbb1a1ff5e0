"""The indicators of a row, and the three stages of a run."""

from __future__ import annotations

import numpy as np
import pytest
from made_ops import cube, look, op

from npuscope.analysis.indicators import NAMES, indicators, stages
from npuscope.parsers.table import Strings, Table


def of(row, **more):
    return {one.name: one for one in indicators(look(op(**row), **more).types.row(0))}


def test_total_is_kernel_and_other():
    found = of(cube(share_of=0.8, mac=0.3, mte2=0.5, scalar=0.2))
    assert list(found) == [name for name in NAMES if name in found]
    assert (found["total"].us, found["kernel"].us, found["other"].us) == pytest.approx((100, 80, 20))
    assert found["move"].us == pytest.approx(40)
    assert found["other"].share == pytest.approx(0.2)
    assert found["issue"].share == pytest.approx(0.2)
    assert found["kernel"].attention is None and found["move"].attention is None


def test_what_deserves_attention():
    slow = of(cube(share_of=0.3, mte2=0.9, scalar=0.6) | {"aic_icache_miss_rate": 0.2, "cube_utilization_pct": 20.0})
    keys = {name: one.attention.key for name, one in slow.items() if one.attention}
    assert keys == {
        "kernel": "indicator.kernel", "move": "indicator.move", "aicore": "indicator.aicore",
        "issue": "indicator.issue", "icache": "indicator.icache",
    }  # fmt: skip


def test_unknown_is_left_out():
    assert set(of({})) == {"total"}


def calls(**us):
    return Table(
        {
            "level": Strings.of(["node" if name == "launch" else "acl" for name in us]),
            "name": Strings.of(us),
            "total_us": np.array(list(us.values())),
        }
    )


def test_three_stages_from_host_calls():
    """The set-up of the device, waiting for it or for other ranks, and parts of other calls count for none."""
    told = calls(aclnnAdd=100.0, aclnnAddGetWorkspaceSize=200.0, aclrtMemcpy=60.0, aclrtSetDevice=9e6, launch=5.0,
                 aclrtSynchronizeStream=500.0, aclrtMalloc=40.0, aclMallocMemInner=39.0,
                 aclnnAddTiling=150.0, hcom_allReduce_=700.0)  # fmt: skip
    found = stages(600.0, told)
    assert (found.preparation_us, found.kernel_us, found.copy_us) == (340.0, 600.0, 60.0)
    assert found.preparation_share == pytest.approx(0.34)
    assert found.attention.key == "indicator.preparation"
    assert stages(9000.0, told).attention is None


def test_no_stages_without_host_calls():
    assert stages(600.0, None) is None
    assert stages(600.0, calls(launch=5.0)) is None
