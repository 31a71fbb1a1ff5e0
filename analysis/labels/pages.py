"""The official pages and examples that advice names: looked up by key, worded in the catalogue (`page.<key>`).

hiascend.com document ids stay the same over releases; each was seen under the address given. The examples are
those of CANN's asc-devkit.
"""

from __future__ import annotations

from collections.abc import Mapping

_DOC = "https://www.hiascend.com/document/detail/zh/"
_COMMUNITY = f"{_DOC}CANNCommunityEdition/850/opdevg/Ascendcopdevg/"
_COMMERCIAL = "https://www.hiascend.com/document/detail/en/canncommercial/850/opdevg/Ascendcopdevg/"
_EXAMPLES = "https://github.com/mirror-cann/asc-devkit/tree/82b89a15f26329511fc7fbc807d5132a1f9b4ba7/examples/"

PAGES: Mapping[str, str] = {
    "larger-copies": f"{_COMMUNITY}atlas_ascendc_best_practices_10_0016.html",
    "constraints": f"{_COMMERCIAL}atlas_ascendc_10_00048.html",
    "same-address": f"{_COMMERCIAL}atlas_ascendc_best_practices_10_00013.html",
    "l2-mode": f"{_COMMERCIAL}atlas_ascendc_best_practices_10_00014.html",
    "banks": f"{_COMMERCIAL}atlas_ascendc_best_practices_10_0025.html",
    "double-buffer": f"{_COMMUNITY}atlas_ascendc_best_practices_10_0033.html",
    "l2-split": f"{_DOC}CANNCommunityEdition/900beta2/opdevg/Ascendcopdevg/atlas_ascendc_best_practices_10_0036.html",
    "attention": f"{_COMMUNITY}atlas_ascendc_best_practices_10_0040.html",
    "mc2": f"{_DOC}canncommercial/81RC1/developmentguide/opdevg/ascendcbestP/atlas_ascendc_best_practices_10_0043.html",
    "ibshare": f"{_COMMUNITY}atlas_ascendc_best_practices_10_10000.html",
    "unit-flag": f"{_COMMUNITY}atlas_ascendc_best_practices_10_10003.html",
    "pure-cube": f"{_COMMUNITY}atlas_ascendc_best_practices_10_10008.html",
    "constant-tiling": f"{_COMMERCIAL}atlas_ascendc_best_practices_10_10011.html",
    "nd2nz": f"{_COMMUNITY}atlas_ascendc_best_practices_10_10014.html",
    "task-queue": f"{_DOC}Pytorch/600/apiref/Envvariables/Envir_019.html",
    "torchair": f"{_DOC}Pytorch/730/modthirdparty/torchairuseguide",
    "ai-cpu": f"{_DOC}canncommercial/601/modeldevpt/ptmigr/ptmigr_0054.html",
    "triton": "https://gitcode.com/Ascend/triton-ascend/blob/main/docs/en/migration_guide/performance_guidelines.md",
    "add": f"{_EXAMPLES}01_simd_cpp_api/05_best_practices/00_vector_compute/add_high_performance",
    "matmul": f"{_EXAMPLES}01_simd_cpp_api/05_best_practices/01_matrix_compute/matmul_high_performance",
    "mxfp4": f"{_EXAMPLES}01_simd_cpp_api/05_best_practices/01_matrix_compute/matmul_mxfp4_high_performance",
    "matmul-gelu": f"{_EXAMPLES}01_simd_cpp_api/05_best_practices/03_fusion_compute/matmul_gelu_high_performance",
    "data-copy": f"{_EXAMPLES}01_simd_cpp_api/05_best_practices/04_memory_access/data_copy",
    "grid-dim": f"{_EXAMPLES}03_simt_api/03_best_practices/01_execution_conf_optimizations/grid_dim_config",
    "simt": f"{_EXAMPLES}03_simt_api/03_best_practices",
    "transpose": f"{_EXAMPLES}05_simd_simt_hybrid/02_best_practices/simd_simt_matrix_transpose",
}
