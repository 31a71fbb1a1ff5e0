"""Header spellings of every generation, and what single cells mean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers import columns as c
from npuscope.parsers.profile import UNKNOWN

SPELLINGS = {
    "name": ["Op Name", "Name", "op name", " Name\t", '"Op Name"', "\ufeffName"],
    "type": ["OP Type", "Op Type", "Type"],
    "core": ["Task Type", "Accelerator Core", "Core Type"],
    "start_ns": ["Task Start Time(us)", "Task Start Time", "Start Time(us)", "Start Time (us)"],
    "duration_us": ["Task Duration(us)", "Duration(us)"],
    "wait_us": ["Task Wait Time(us)", "Wait Time(us)"],
    "device": ["Device_id", "Device Id", "device_id"],
    "block_dim": ["Block Dim", "Block Num", "block_dim", "block_num"],
    "mix_block_dim": ["Mix Block Dim", "Mix Block Num"],
    "step": ["Step Id"],
    "freq_mhz": ["Current Freq"],
    "aic_time_us": ["aicore_time(us)", "aic_time(us)", "aic_total_time"],
    "aiv_time_us": ["aiv_time(us)", "aiv_total_time"],
    "aic_total_cycles": ["aic_total_cycles", "total_cycles"],
    "aic_mac_ratio": ["aic_mac_ratio", "mac_ratio", "mac_exe_ratio", "aic_cube_ratio"],
    "aic_mac_time_us": ["aic_mac_time(us)", "mac_exe_time(us)", "aic_cube_time(us)", "aic_mac_time"],
    "aic_vec_ratio": ["vec_ratio", "vec_exe_ratio", "aic_vec_ratio"],
    "aiv_vec_ratio": ["aiv_vec_ratio"],
    "aic_mac_fp16_ratio": ["aic_mac_fp16_ratio", "aic_cube_fp16_ratio", "mac_fp16_ratio"],
    "aic_cube_wait_ratio": ["aic_cube_wait_ratio"],
    "aic_cube_fops": ["aic_cube_fops"],
    "cube_utilization_pct": ["cube_utilization(%)", "cube_utilization( %)"],
    "memory_bound": ["memory_bound"],
    "aiv_ub_read_bw_vector_gbps": ["aiv_ub_read_bw_vector(GB/s)"],
    "aic_main_mem_read_bw_gbps": ["aic_main_mem_read_bw(GB/s)", "main_mem_read_bw(GB/s)"],
    "aic_l1_to_gm_datas_kb": ["aic_L1_to_GM_datas(KB)(estimate)"],
    "gm_to_ub_datas_kb": ["GM_to_UB_datas(KB)"],
    "l1_to_gm_bw_usage_rate_pct": ["L1_to_GM_bw_usage_rate(%)(estimate)"],
    "aiv_total_hit_rate_pct": ["aiv_total_hit_rate(%)"],
    "aiv_scalar_wait_ib_time_us": ["aiv_scalar_wait_ib_time(us)"],
    "aiv_brand_new_thing": ["aiv_brand_new_thing"],
    "aic_0x416": ["0x416", "aic_0x416"],
    "block": ["block_id", "Block ID"],
    "sub_block": ["sub_block_id"],
    "total_us": ["Total Time(us)"],
    "mean_us": ["Avg Time(us)"],
}


@pytest.mark.parametrize(("name", "header"), [(name, header) for name, many in SPELLINGS.items() for header in many])
def test_spellings(name, header):
    assert c.name_of(header) == (name, 1.0)


@pytest.mark.parametrize("header", ["Context ID", "Model Name", "Infer ID", "", " ", "Group Name", "Pid", "Comment"])
def test_columns_that_are_left_out(header):
    assert c.name_of(header) is None


def test_times_in_other_units_are_scaled():
    assert c.name_of("Task Duration(ms)") == ("duration_us", 1000.0)
    assert c.name_of("aic_mac_time(ns)") == ("aic_mac_time_us", 0.001)
    assert c.start_cell("1760000000000.5", 1000.0) == 1760000000000500000


def test_of_two_columns_with_one_meaning_the_first_counts():
    found = c.columns_of(["Name", "Op Name", "Duration(us)"])
    assert [(column.index, column.name) for column in found] == [(0, "name"), (2, "duration_us")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1713395907437817.600\t", 1713395907437817600), ("1713395907437817", 1713395907437817000),
        ("1736408883674584.7", 1736408883674584700), ('"1736413971558972.912\t"', 1736413971558972912),
        ("1760000000000000.1256", 1760000000000000126), ("0", 0), ("12.000", 12000), (" 5.25 ", 5250),
        ("1.76E+15", UNKNOWN), ("1.76e15", UNKNOWN), ("N/A", UNKNOWN), ("", UNKNOWN), ("x", UNKNOWN), ("-3", UNKNOWN),
        ("nan", UNKNOWN), ("inf", UNKNOWN), ("9" * 30, UNKNOWN),
    ],
)  # fmt: skip
def test_start_times(text, value):
    assert c.start_cell(text) == value


@given(st.integers(0, 9 * 10**15), st.integers(0, 999))
def test_start_times_keep_every_digit(whole, thousandths):
    assert c.start_cell(f"{whole}.{thousandths:03d}\t") == whole * 1000 + thousandths


@pytest.mark.parametrize(
    ("text", "rounded"), [("1.76E+15", True), ("1e9", True), ("1760.5", False), ("E", False), ("N/A", False)]
)
def test_rounded_start_times(text, rounded):
    assert c.is_rounded(text) is rounded


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("7.0", 7), ("4294967295", 4294967295), ("-1", -1), ("N/A", UNKNOWN), ("host", UNKNOWN),
     ("9" * 20, UNKNOWN),
     ("inf", UNKNOWN), ('"12"', 12)],
)  # fmt: skip
def test_whole_numbers(text, value):
    assert c.integer_cell(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("1.5", 1.5), (" 2\t", 2.0), ('"3"', 3.0), ("1e3", 1000.0), ("-0.02", -0.02)]
)
def test_numbers(text, value):
    assert c.number_cell(text) == value


@pytest.mark.parametrize("text", ["N/A", "NA", "", "-", "abc", "1,5"])
def test_what_is_no_number_is_unknown(text):
    assert math.isnan(c.number_cell(text))


def test_infinite_counters_stay_visible():
    assert math.isinf(c.number_cell("inf"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("N/A", None),
        ("NA", None),
        ("", None),
        (" ", None),
        ("na", "na"),
        ("None", "None"),
        (" a ", "a"),
        ('a"b', 'a"b'),
    ],
)
def test_texts(text, value):
    assert c.text_cell(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [('"1,2;3"', "1,2;3"), ('""', ""), ("", None), ('";"', ";"), ("N/A", None), ('"N/A"', None), ("FLOAT", "FLOAT")],
)
def test_shapes_lose_the_quotes_that_belong_to_the_cell(text, value):
    assert c.shape_cell(text) == value
