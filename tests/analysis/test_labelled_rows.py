"""Agreement with labels that others published, row by row: docs/METHOD.md shows these counts.

`labelled_rows` were at hand while thresholds were chosen. `public_rows` were found afterwards: 61 of 81 agreed when
first looked at; the faults were then mended as kinds, so they no longer are untouched. `public_rows_2` were found
after that: no rule was changed for them.
"""

from __future__ import annotations

import dataclasses

import pytest
from label_rows import agrees, labels_of, rows_of

from npuscope.analysis.thresholds import DEFAULTS

# what we say instead, and why
DIFFERS = {
    "labelled_rows.jsonl": {
        "bp_fa_mte2": ("unknown", "one column, mte2 0.52: nobody can tell from it"),
        "bp_nd2nz": ("memory", "the unaligned axis stands in no column"),
        "bp_tiling": ("unknown", "scalar 0.60 of a maximum over cores, nothing else collected"),
        "dc_A2_ubun": ("memory", "the unaligned axis stands in no column"),
        "fastdiv": ("stall", "1.3 us on the core of a task of 117 us: means over blocks, whose number is not told"),
        "hybtrans_c3": ("unknown", "no movement pipe was collected"),
        "ta_1533": ("unknown", "one column, vec 0.37"),
        "tl_1512": ("unknown", "one column, mte2 0.60"),
    },
    "public_rows.jsonl": {
        "quant_group_950_1": ("compute", "71 % of the cube's peak, cube 0.75; the overlap it lacks was worth 9 %"),
        "floormod_950_0": (
            "stall",
            "58 % of HBM peak through the vector unit: neither bandwidth nor strides can be told",
        ),
        "guide_split_k": ("unknown", "mte2 0.70 beside a cube that was not collected"),
        "splitb_v35b": ("unknown", "vector movement was not collected"),
        "splitb_v35a": (
            "memory",
            "write-out 0.82 was waiting, as an experiment showed; shares do not tell: low confidence",
        ),
        "chunk_kda_b0": ("unknown", "half of the pipes were not collected"),
        "hcpre_m1": ("unknown", "half of the pipes were not collected"),
    },
    "public_rows_2.jsonl": {
        "concat_fragmented": ("memory", "one column, mte2 0.88, and no shapes: small pieces stand in neither"),
        "indexadd_c10": ("stall", "read-in 0.51 and write-out 0.36 take turns; half of the peak"),
        "indexadd_c13": ("launch", "17 us of 34 outside the mean core time, for the waiting the source names"),
        "indexadd_c14": ("stall", "read-in 0.47 and write-out 0.29 take turns; a third of the peak"),
        "indexadd_c18": ("launch", "18 us of 36 outside the mean core time, for the waiting the source names"),
        "indexadd_c20": ("stall", "write-out 0.46 and read-in 0.32 take turns; a third of the peak"),
    },
}
SETS = {name: rows_of(name) for name in DIFFERS}
JUDGED = (
    "move_cube", "move_vector", "move_leads", "bw_peak", "poor", "compute_cube", "compute_vector", "scalar",
    "scalar_leads", "balanced_sum", "few_cores", "block_us", "inside", "cube_wins",
)  # fmt: skip


@pytest.fixture(scope="module")
def said():
    return {name: labels_of(rows) for name, rows in SETS.items()}


@pytest.mark.parametrize("name", SETS)
def test_labels(said, name):
    """Every row agrees, or stands above with what we say instead."""
    differs = {row["id"]: said[name][row["id"]][0] for row in SETS[name] if not agrees(row, said[name][row["id"]][0])}
    assert differs == {row: label for row, (label, _) in DIFFERS[name].items()}


def test_what_is_missing_makes_no_sure_label(said):
    for name, differs in DIFFERS.items():
        unknown = [row for row, (label, _) in differs.items() if label == "unknown"]
        assert {said[name][row] for row in unknown} <= {("unknown", "low")}


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("threshold", JUDGED)
def test_no_threshold_holds_up_the_agreement(said, threshold, factor):
    """Moved by a tenth it takes away few rows: labels do not hang on where exactly it stands."""
    moved = dataclasses.replace(DEFAULTS, **{threshold: getattr(DEFAULTS, threshold) * factor})
    for name, rows in SETS.items():
        before = sum(agrees(row, said[name][row["id"]][0]) for row in rows)
        after = labels_of(rows, moved)
        assert sum(agrees(row, after[row["id"]][0]) for row in rows) >= 0.93 * before
