"""The cores of msprof op launches, and how the launches of a run come into one table."""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.opprof import cores as opprof_cores
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.opprof_launches import Launch, launches_of
from npuscope.parsers.profile import Profile
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Strings, Table
from npuscope.sources.cache import Cache
from npuscope.tui import text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "msprof"
LATER = time.time() + 3600
FOUR = "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
SEVERAL = "OPPROF_20260522170000_SEVERALLAUNCHESX"


def profile_of(path: Path) -> Profile:
    run = look_at(path, LATER)
    assert run is not None
    return read_profile(run)


def copied(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / name, tmp_path / name))


def test_the_rows_of_a_launch_are_kept():
    cores = profile_of(FIXTURES / FOUR).cores
    assert cores.row(3) == {
        "op": 0,
        "block": 3,
        "sub_block": "vector0",
        "side": "aiv",
        "time_us": pytest.approx(712.321655),
        "vec_ratio": pytest.approx(0.022222 / 712.321655, rel=1e-4),
        "scalar_ratio": pytest.approx(cores.row(3)["scalar_ratio"]),
        "mte2_ratio": pytest.approx(cores.row(3)["mte2_ratio"]),
        "mte3_ratio": pytest.approx(cores.row(3)["mte3_ratio"]),
    }
    assert cores.numbers("scalar_ratio")[0] == pytest.approx(440.851105 / 724.386658)


def test_a_mixed_kernel_has_a_core_for_each_side():
    profile = profile_of(FIXTURES / "OPPROF_20260609120000_NEWNAMESXXXXXXXX")
    cores = profile.cores
    assert list(zip(cores.strings("sub_block").tolist(), cores.strings("side").tolist())) == [
        ("cube0", "aic"), ("vector0", "aiv"), ("vector1", "aiv"),
    ] * 2  # fmt: skip
    assert cores.numbers("time_us").tolist() == [20, 10, 10, 16, 8, 8]
    assert np.isnan(cores.numbers("vec_ratio")).tolist() == [True, False, False] * 2
    assert profile.ops.numbers("block_spread").tolist() == [pytest.approx(0.2)]


def test_shares_are_of_the_cores_own_time():
    cores = profile_of(FIXTURES / "OPPROF_mix_cann85").cores
    assert cores.numbers("scalar_ratio").tolist()[:2] == pytest.approx([1.672778 / 2.288333, 1.631111 / 3.200556])


def test_each_launch_has_its_cores():
    profile = profile_of(FIXTURES / SEVERAL)
    assert profile.ops.numbers("launch").tolist() == [0, 1, 10, 0]
    assert profile.ops.strings("name").tolist() == ["Cummin_kernel"] * 3 + ["Cumsum_kernel"]
    assert np.bincount(profile.cores.numbers("op")).tolist() == [4, 4, 4, 8]
    for row in range(4):
        mine = profile.cores.take(profile.cores.numbers("op") == row)
        assert opprof_cores.spread(mine) == pytest.approx(profile.ops.numbers("block_spread")[row])
        assert profile.ops.numbers("blocks_measured")[row] == len(mine)


def test_a_launch_that_cannot_be_read_leaves_the_others(tmp_path):
    folder = copied(SEVERAL, tmp_path)
    basic = next((folder / "Cummin_kernel/1").glob("OpBasicInfo*"))
    basic.write_text("nothing,of,this\n1,2,3\n", "utf-8")
    profile = profile_of(folder)
    assert profile.ops.numbers("launch").tolist() == [0, 10, 0]
    assert np.bincount(profile.cores.numbers("op")).tolist() == [4, 4, 8]
    assert [p.file for p in profile.problems if p.code == "no-operator-table"] == [str(basic)]


def test_no_launch_that_can_be_read(tmp_path):
    folder = copied(SEVERAL, tmp_path)
    for basic in folder.rglob("OpBasicInfo*"):
        basic.write_text("nothing,of,this\n1,2,3\n", "utf-8")
    profile = profile_of(folder)
    assert (len(profile.ops), profile.run.state, profile.cores) == (0, "damaged", None)


def test_the_same_fault_of_many_launches_is_said_once():
    problems = [p.code for p in profile_of(FIXTURES / SEVERAL).problems]
    assert problems == ["missing-files"]


def test_the_chip_is_certain_only_where_the_launches_agree(tmp_path):
    folder = copied(SEVERAL, tmp_path)
    assert profile_of(folder).metadata.chip == "Ascend910B2"
    info = folder / "Cumsum_kernel/0/dump/op_basic_info.txt"
    info.write_text(info.read_text("utf-8").replace("910B2", "910B4"), "utf-8")
    assert profile_of(folder).metadata.chip is None
    info.unlink()
    assert profile_of(folder).metadata.chip == "Ascend910B2"


def test_the_viewers_file_tells_the_chip_and_the_blocks_where_the_tables_do_not(tmp_path):
    folder = copied(FOUR, tmp_path)
    (folder / "dump/op_basic_info.txt").unlink()
    for table in folder.glob("*.csv"):
        if not table.name.startswith("OpBasicInfo"):
            table.unlink()
    profile = profile_of(folder)
    assert (profile.metadata.chip, profile.run.state) == ("Ascend910B2", "partial")
    assert profile.cores.numbers("time_us").tolist() == [724.386658, 722.371643, 723.416138, 712.321655]
    assert profile.cores.strings("side").tolist() == ["aiv"] * 4
    assert profile.sources["block_spread"] == "visualize_data.bin"


def test_a_cut_viewers_file_is_told_and_hides_nothing_else(tmp_path):
    folder = copied(FOUR, tmp_path)
    path = folder / "visualize_data.bin"
    path.write_bytes(path.read_bytes()[:5000])
    profile = profile_of(folder)
    (problem,) = profile.problems
    text.set_language("en")
    assert problem.code == "damaged" and "visualize_data.bin" in text.told(problem.message)
    assert (profile.vendor_verdict, len(profile.cores), profile.run.state) == ((), 4, "ready")


def cores(side: str, *times: float) -> Table:
    return Table({"side": Strings.of([side] * len(times)), "time_us": np.array(times), "block": np.arange(len(times))})


@pytest.mark.parametrize(
    ("times", "spread"),
    [((10.0, 8.0), 0.2), ((5.0, 5.0), 0.0), ((7.0,), math.nan), ((), math.nan), ((1.0, 4.0, 2.0), 0.75)],
)
def test_spread(times, spread):
    assert opprof_cores.spread(cores("aiv", *times)) == pytest.approx(spread, nan_ok=True)


def test_blocks_without_a_time_are_not_measured():
    table = Table({
        "block": np.array([0, 1, 2, 3]),
        "sub_block": Strings.of(["vector0", "vector0", None, "cube0"]),
        "aiv_time_us": np.array([5.0, np.nan, 4.0, np.nan], dtype=np.float32),
        "aic_time_us": np.array([np.nan, np.nan, np.nan, 0.0], dtype=np.float32),
    })  # fmt: skip
    found = opprof_cores.cores_of(table, 7)
    assert found.numbers("block").tolist() == [0, 2]
    assert found.numbers("op").tolist() == [7, 7]
    assert opprof_cores.blocks_measured(found) == 2
    assert opprof_cores.cores_of(Table({"aiv_time_us": np.array([1.0])}), 0) is None


def test_a_table_without_blocks_has_no_cores():
    assert profile_of(FIXTURES / "OPPROF_20260608120000_FUSEDCORESXXXXXX").cores is None


def test_places_of_launches():
    files = [
        "device10/Add/0/OpBasicInfo_1.csv",
        "device2/Add/1/OpBasicInfo_1.csv",
        "device2/Add/0/PipeUtilization_1.csv",
        "device2/Add/0/OpBasicInfo_1.csv",
        "Mul/10/OpBasicInfo_1.csv",
        "Mul/9/OpBasicInfo_1.csv",
        "Mul/8/simulator/core0.veccore0/core0.veccore0_instr_exe_1.csv",
    ]
    found = launches_of(files)
    assert [(one.device, one.operator, one.number) for one in found] == [
        (-1, "Mul", 8), (-1, "Mul", 9), (-1, "Mul", 10), (2, "Add", 0), (2, "Add", 1), (10, "Add", 0),
    ]  # fmt: skip
    assert found[3].files == ("OpBasicInfo_1.csv", "PipeUtilization_1.csv")
    assert [one.simulated for one in found] == [True, False, False, False, False, False]
    assert found[0].folder == "Mul/8"
    assert launches_of(["OpBasicInfo.csv"]) == (Launch("", ("OpBasicInfo.csv",)),)
    assert launches_of([]) == ()


def test_one_launch_that_cannot_be_read_is_an_error(tmp_path):
    folder = copied(FOUR, tmp_path)
    run = look_at(folder, LATER)
    (folder / "OpBasicInfo.csv").unlink()
    with pytest.raises(ParseError):
        read_profile(run)


def test_the_expected_values_are_not_those_of_the_reader():
    want = json.loads((FIXTURES / f"{FOUR}.json").read_text("utf-8"))
    assert want["first"]["block_spread"] == pytest.approx(1 - 712.321655 / 724.386658)


def test_a_launch_is_being_written_until_its_viewers_file_stands_still(tmp_path):
    folder = copied(FOUR, tmp_path)
    now = time.time()
    for path in folder.rglob("*"):
        os.utime(path, (now - 60, now - 60))
    assert look_at(folder, now).state == "ready"
    os.utime(folder / "visualize_data.bin", (now - 1, now - 1))
    run = look_at(folder, now)
    assert (run.state, run.reason.params["file"]) == ("exporting", "visualize_data.bin")
    several = copied(SEVERAL, tmp_path)
    for path in several.rglob("*"):
        os.utime(path, (now - 60, now - 60))
    assert look_at(several, now).state == "ready"
    os.utime(next((several / "Cumsum_kernel/0").glob("Pipe*")), (now, now))
    assert look_at(several, now).state == "exporting"


def test_the_viewers_file_is_no_table_of_the_run():
    run = look_at(FIXTURES / FOUR, LATER)
    assert sorted(run.files) == [
        "ArithmeticUtilization.csv", "L2Cache.csv", "Memory.csv", "MemoryL0.csv", "MemoryUB.csv", "OpBasicInfo.csv",
        "PipeUtilization.csv", "ResourceConflictRatio.csv",
    ]  # fmt: skip


def test_a_profile_of_msprof_op_comes_back_from_a_cache_as_it_was(tmp_path):
    profile = profile_of(FIXTURES / FOUR)
    cache = Cache(tmp_path / "cache")
    cache.keep("0123456789abcdef0123456789abcdef", "profile", profile)
    back = cache.find("0123456789abcdef0123456789abcdef", "profile", Profile)
    assert back.vendor_verdict == profile.vendor_verdict
    assert [back.cores.row(row) for row in range(4)] == [profile.cores.row(row) for row in range(4)]
    assert back.run == profile.run
