"""The recorded box: what is packed is what the makers make, and it adds up when recalculated from the files alone."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zipfile
from pathlib import Path

import pytest

from npuscope.demo import make
from npuscope.demo.tables import HEADER
from npuscope.parsers.reading_json import from_json

FREQ, CUBE, VECTOR = 1800, 20, 40
RUNS = ("COPY", "NORMBEFORE", "NORMAFTER", "STEPBEFORE", "STEPAFTER", "STORM")


def table(name, files):
    path = next(path for path in files if name in path and "op_summary" in path)
    return list(csv.DictReader(io.StringIO(files[path].decode())))


def number(row, column):
    return float(row[column])


@pytest.fixture(scope="module")
def files():
    with zipfile.ZipFile(make.HERE / make.PROFILES) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def rows(files):
    return {name: table(name, files) for name in RUNS}


def test_the_same_bytes_every_time(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert make.main([str(tmp_path / folder)]) == 0
    for name in (make.READINGS, make.PROFILES):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_what_is_packed_is_what_is_made(files):
    """By content: another zlib packs the same content into other bytes."""
    packed = gzip.decompress((make.HERE / make.READINGS).read_bytes())
    assert packed == make.readings_text()
    assert files == make.profile_files()
    assert list(files) == list(make.profile_files())


def test_small_enough_to_be_packed():
    assert sum((make.HERE / name).stat().st_size for name in (make.READINGS, make.PROFILES)) < 400_000
    assert "made by this project" in (make.HERE / "ORIGIN.md").read_text(encoding="utf-8")


def test_folders_look_like_msprof_s(files):
    folders = sorted({name.split("/")[0] for name in files})
    assert len(folders) == 6
    for number_, folder in enumerate(folders, start=1):
        assert folder.startswith(f"PROF_{number_:06d}_2026010222")
        assert len(folder.split("_")[3]) == 16
        inside = {name.split("/", 1)[1] for name in files if name.startswith(folder)}
        assert {"device_0/info.json.0", "device_0/sample.json", "device_0/end_info.0", "host/start_info"} <= inside
        assert {name.rpartition("/")[0] for name in inside} >= {"mindstudio_profiler_output", "device_0/data", "host"}
        for path in (name for name in inside if name.endswith(".done")):
            size = len(files[f"{folder}/{path[: -len('.done')]}"])
            assert files[f"{folder}/{path}"] == f"filesize:{size}\n".encode()
        info = json.loads(files[f"{folder}/device_0/info.json.0"])["DeviceInfo"][0]
        assert (info["ai_core_num"], info["aiv_num"], info["aic_frequency"]) == (CUBE, VECTOR, str(FREQ))


def test_46_columns_and_a_tab_after_the_start(files, rows):
    assert len(HEADER.split(",")) == 46
    for path, data in files.items():
        if "op_summary" in path:
            lines = data.decode().splitlines()
            assert lines[0] == HEADER
            assert all(cells[8].endswith("\t") for cells in csv.reader(lines[1:]))
            assert {len(cells) for cells in csv.reader(lines)} == {46}


@pytest.mark.parametrize("name", RUNS)
def test_every_row_adds_up(rows, name):
    """From the printed digits: times and ratios have three decimals, so products may be off by their rounding."""
    for row in rows[name]:
        if row["Task Type"] in ("COMMUNICATION", "AI_CPU"):
            assert {row[column] for column in HEADER.split(",")[21:]} == {"N/A"}
            continue
        duration = number(row, "Task Duration(us)")
        aic_blocks, aiv_blocks = int(row["Block Dim"]), int(row["Block Dim"])
        if row["Task Type"] == "MIX_AIC":
            aiv_blocks = int(row["Mix Block Dim"])
        whole = (("aicore_time(us)", "aic", aic_blocks, CUBE), ("aiv_time(us)", "aiv", aiv_blocks, VECTOR))
        for column, side, blocks, cores in whole:
            core, cycles = number(row, column), int(row[f"{side}_total_cycles"])
            assert core <= duration
            assert (core > 0) == (cycles > 0)
            if cycles:
                assert math.isclose(core, cycles / FREQ / blocks * math.ceil(blocks / cores), abs_tol=6e-4)
            for pipe in [head[: -len("_ratio")] for head in row if head.startswith(side) and head.endswith("_ratio")]:
                ratio, busy = number(row, f"{pipe}_ratio"), number(row, f"{pipe}_time(us)")
                assert 0 <= ratio <= 1
                assert math.isclose(busy, ratio * core, abs_tol=6e-4 * core + 6e-4)
        occupied = 100 * int(row["aic_total_cycles"]) / (FREQ * CUBE * duration)
        assert math.isclose(number(row, "cube_utilization(%)"), occupied, abs_tol=6e-4)


@pytest.mark.parametrize("name", RUNS)
def test_waits_are_what_lies_between_the_rows(rows, name):
    end = None
    for row in rows[name]:
        start_ns = int(row["Task Start Time(us)"].strip().replace(".", ""))
        duration_ns = round(number(row, "Task Duration(us)") * 1000)
        assert duration_ns % 20 == 0
        assert end is None or start_ns >= end
        assert round(number(row, "Task Wait Time(us)") * 1000) == (0 if end is None else start_ns - end)
        end = start_ns + duration_ns


@pytest.mark.parametrize("name", RUNS)
def test_the_statistic_sums_up_the_rows(files, rows, name):
    path = next(path for path in files if name in path and "op_statistic" in path)
    for line in csv.DictReader(io.StringIO(files[path].decode())):
        key = (line["OP Type"], line["Core Type"])
        times = [number(row, "Task Duration(us)") for row in rows[name] if (row["OP Type"], row["Task Type"]) == key]
        assert len(times) == int(line["Count"])
        assert math.isclose(sum(times), float(line["Total Time(us)"]), abs_tol=1e-3)
        assert (min(times), max(times)) == (float(line["Min Time(us)"]), float(line["Max Time(us)"]))
    shares = [float(line["Ratio(%)"]) for line in csv.DictReader(io.StringIO(files[path].decode()))]
    assert math.isclose(sum(shares), 100, abs_tol=0.05)


def test_the_normalisation_is_the_case_in_the_book(rows):
    """3.7 ms = 1.2 vector + 2.1 movement + 0.4 around; after: 1.9 = 1.1 + 0.5 + the rest."""
    for name, us, vec, move, core in (("NORMBEFORE", 3700, 1200, 2100, 2960), ("NORMAFTER", 1900, 1100, 500, 1552)):
        (row,) = rows[name]
        assert row["Input Shapes"] == '"8192,8192"' and row["Input Data Types"] == "FLOAT16"
        assert number(row, "Task Duration(us)") == us
        assert math.isclose(number(row, "aiv_vec_time(us)"), vec, rel_tol=2e-3)
        assert math.isclose(number(row, "aiv_mte2_time(us)"), move, rel_tol=2e-3)
        assert math.isclose(number(row, "aiv_time(us)"), core, rel_tol=1e-3)


def test_the_copy_stands_near_its_floor(rows):
    floor = 2 * 8192 * 8192 * 2 / 1.6e12 * 1e6
    assert math.isclose(floor, 167.8, abs_tol=0.05)
    assert all(1.2 < number(row, "Task Duration(us)") / floor < 1.4 for row in rows["COPY"])
    assert {row["aiv_vec_ratio"] for row in rows["COPY"]} == {"0.0"}


def test_the_storm_is_small_kernels_far_apart(rows):
    storm = rows["STORM"]
    assert len(storm) == 480
    assert all(2.0 <= number(row, "Task Duration(us)") <= 5.0 for row in storm)
    assert all(20.0 <= number(row, "Task Wait Time(us)") <= 40.0 for row in storm[1:])
    assert len({row["Stream ID"] for row in storm}) == 1


def test_the_step_has_the_totals_of_the_drawings(rows):
    for name, total in (("STEPBEFORE", 18_990.0), ("STEPAFTER", 18_210.0)):
        step = rows[name]
        assert len(step) == 1204 and len({row["OP Type"] for row in step}) == 38
        assert math.isclose(sum(number(row, "Task Duration(us)") for row in step), total, abs_tol=1e-3)
    counts = {
        kind: sum(row["OP Type"] == kind for row in step) for kind in ("MatMulV2", "FlashAttentionScore", "Gather")
    }
    assert counts == {"MatMulV2": 96, "FlashAttentionScore": 32, "Gather": 4}
    span = (
        int(step[-1]["Task Start Time(us)"].strip().replace(".", ""))
        - int(step[0]["Task Start Time(us)"].strip().replace(".", ""))
    ) / 1000
    assert math.isclose(span + number(step[-1], "Task Duration(us)"), 21_900.0, abs_tol=1e-3)


def test_the_cube_does_what_its_shapes_ask(rows):
    """Its busy time, as operations at 8192 a cycle, is the product's operations and a few percent of padding."""
    for row in rows["STEPAFTER"]:
        if row["OP Type"] in ("MatMulV2", "MatMulV3"):
            (m, k), (_, n) = (tuple(map(int, part.split(","))) for part in row["Input Shapes"].strip('"').split(";"))
            assert row["Output Shapes"] == f'"{m},{n}"'
            done = number(row, "aic_mac_ratio") * int(row["aic_total_cycles"]) * 8192
            assert 0.98 < done / (2 * m * k * n) < 1.1


def test_readings_are_a_second_apart_and_the_end_joins_the_beginning():
    lines = gzip.decompress((make.HERE / make.READINGS).read_bytes()).splitlines()
    readings = [from_json(json.loads(line)) for line in lines]
    assert len(readings) == 240
    assert {later.taken_at - earlier.taken_at for earlier, later in zip(readings, readings[1:])} == {1.0}
    for last, first in zip(readings[-1].chips, readings[0].chips):
        assert last.hbm_used_mb == first.hbm_used_mb
        assert abs(last.power_w - first.power_w) < 10 and abs(last.temp_c - first.temp_c) <= 1
    assert all(len(reading.chips) == 8 and {chip.name for chip in reading.chips} == {"910B3"} for reading in readings)
    for reading in readings:
        held = dict.fromkeys(range(8), 0)
        for process in reading.processes:
            held[process.npu_id] += process.memory_mb
            assert process.pid in reading.local and reading.local[process.pid].command
        for chip in reading.chips:
            assert chip.hbm_used_mb == 3369 + 5 * chip.npu_id + held[chip.npu_id] <= chip.hbm_total_mb
            assert (chip.aicore_pct is None) == (chip.aicore_note is not None)


def test_the_makers_run_from_the_command_line(tmp_path):
    assert Path(make.__file__).parent == make.HERE
    assert make.main([str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((make.READINGS, make.PROFILES))
