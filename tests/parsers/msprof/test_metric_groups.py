"""Which metric groups a table carries: by the documented headers of each, of every generation."""

from __future__ import annotations

import pytest

from npuscope.parsers.columns import columns_of
from npuscope.parsers.msprof.metric_groups import GROUPS, groups_of

TIMES = "aicore_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,"
HEADERS = {
    "PipeUtilization": [
        TIMES + "aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte2_time(us),aic_mte2_ratio,"
        "aic_icache_miss_rate,aiv_vec_time(us),aiv_vec_ratio,cube_utilization(%)",
        "aicore_time(us),total_cycles,vec_time(us),vec_ratio,mac_time(us),mac_ratio,scalar_time(us),scalar_ratio,memory_bound",
        "aiv_time(us),aiv_vec_ratio,aiv_mte2_ratio",
        "block_id,sub_block_id,aiv_time(us),aiv_vec_time(us),aiv_scalar_wait_time(us),aiv_scalar_wait_id0_time(us)",
    ],
    "ArithmeticUtilization": [
        TIMES + "aic_mac_fp16_ratio,aic_mac_int8_ratio,aic_cube_fops,aiv_vec_fp32_ratio,aiv_vec_misc_ratio",
        "block_id,sub_block_id,aic_time(us),aic_cube_ratio,aic_cube_fp16_ratio,aic_cube_fops,aiv_vec_ratio,aiv_vec_fops",
        "block_id,sub_block_id,aic_cube_ratio,aic_cube_fp_ratio,aiv_vec_ratio,aiv_vec_vf_ratio,aiv_vec_simt_vf_ratio",
        "aicore_time(us),total_cycles,mac_fp16_ratio,mac_int8_ratio,vec_fp32_ratio,cube_fops,vector_fops",
    ],
    "Memory": [
        TIMES + "aic_l1_read_bw(GB/s),aic_main_mem_read_bw(GB/s),aic_l2_read_bw(GB/s),aiv_ub_read_bw(GB/s)",
        "block_id,sub_block_id,aic_l1_read_bw(GB/s),aic_mte2_instructions,aic_mte2_ratio,aiv_gm_to_ub_bw(GB/s),"
        "GM_to_UB_datas(KB),GM_to_UB_bw_usage_rate(%),L1_to_GM_datas(KB)(estimate)",
        "aicore_time(us),total_cycles,ub_read_bw(GB/s),main_mem_read_bw(GB/s),l2_read_bw(GB/s)",
        "aic_time(us),aic_total_cycles,aic_ub_to_gm_bw(GB/s),aic_gm_to_ub_bw(GB/s),aic_mte3_ratio",
    ],
    "MemoryL0": [
        TIMES + "aic_l0a_read_bw(GB/s),aic_l0c_write_bw_cube(GB/s),aiv_l0c_read_bw(GB/s)",
        "aicore_time(us),total_cycles,l0a_read_bw(GB/s),l0c_read_bw_cube(GB/s)",
    ],
    "MemoryUB": [
        TIMES + "aic_ub_read_bw_scalar(GB/s),aiv_ub_read_bw_vector(GB/s)",
        "block_id,sub_block_id,aiv_ub_read_bw_vector(GB/s),aiv_ub_read_bw_gm(GB/s)",
        "aicore_time(us),total_cycles,ub_read_bw_vector(GB/s),ub_write_bw_scalar(GB/s)",
    ],
    "MemoryAccess": [
        TIMES + "aic_read_main_memory_datas(KB),aic_GM_to_L1_datas(KB),aiv_GM_to_UB_datas(KB),aiv_UB_to_GM_datas(KB)",
    ],
    "ResourceConflictRatio": [
        TIMES + "aiv_vec_bankgroup_cflt_ratio,aiv_vec_bank_cflt_ratio,aiv_vec_resc_cflt_ratio",
        "block_id,sub_block_id,aic_cube_wait_ratio,aic_mte2_wait_ratio,aiv_vec_stu_cflt_ratio,aiv_vec_wait_ratio",
        "aicore_time(us),total_cycles,vec_bankgroup_cflt_ratio,vec_resc_cflt_ratio,mte1_iq_full_ratio",
    ],
    "L2Cache": [
        TIMES + "aic_write_cache_hit,aic_r0_read_cache_miss_allocate,aiv_r1_read_cache_hit",
        TIMES + "aic_read_local_l2_hit,aic_read_local_l2_miss,aiv_write_local_l2_victim",
        "block_id,sub_block_id,aic_read_close_hit,aic_read_far_victim,aic_read_hit_rate(%),aiv_write_hit_rate(%)",
        "aic_l2_cache_hit_rate(%)",
    ],
    "PipelineExecuteUtilization": [
        "aicore_time(us),total_cycles,vec_exe_time(us),vec_exe_ratio,mac_exe_ratio,scalar_exe_time(us),memory_bound",
    ],
    "Custom": [TIMES + "aic_0x416,aiv_0x3", "aicore_time(us),0x416,0xa1"],
}  # fmt: skip
BASE = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Block Dim,Input Shapes,Context ID,"


def groups(header: str) -> tuple[str, ...]:
    columns = columns_of(header.split(","))
    return groups_of([column.name for column in columns], {c.name: f"x.csv:{c.header}" for c in columns})


def test_every_group_has_its_headers():
    assert set(HEADERS) == set(GROUPS)


@pytest.mark.parametrize(("group", "header"), [(group, one) for group, many in HEADERS.items() for one in many])
def test_one_group(group, header):
    assert groups(header) == (group,)
    assert groups(BASE + header) == (group,)


def test_several_groups_in_one_table():
    found = groups(",".join(headers[0] for group, headers in HEADERS.items() if group != "PipelineExecuteUtilization"))
    assert found == tuple(group for group in GROUPS if group != "PipelineExecuteUtilization")


def test_no_group():
    assert groups(BASE) == ()
    assert groups(TIMES) == ()
    assert groups_of([]) == ()
