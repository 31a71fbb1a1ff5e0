"""The chips table, and which part a profile was taken on."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, profile, vector

from npuscope.analysis import chips, choice


@pytest.mark.parametrize("name", ["Ascend910B3", "910B3", "Ascend 910B3", "ascend910b3", "ASCEND_910B3"])
def test_a_part_is_found_however_it_is_spelled(name):
    assert chips.find(name).name == "Ascend910B3"


@pytest.mark.parametrize(
    ("name", "found"),
    [("910B", "Ascend910B"), ("9382", "Ascend910_9382"), ("950PR_9589", "Ascend950PR_9589"), ("310P3", "Ascend310P3")],
)
def test_other_spellings(name, found):
    assert chips.find(name).name == found


@pytest.mark.parametrize("name", ["", "B3", "910", "H100", "910B5", None])
def test_what_is_no_part(name):
    assert chips.find(name) is None


def test_910b_is_of_the_910a_generation():
    assert (chips.find("910B").family, chips.find("910B").fused) == ("Ascend910", True)
    assert (chips.find("910B3").family, chips.find("910B3").fused) == ("Ascend910B", False)


def test_every_number_of_the_table_has_a_source_and_a_sane_size():
    for chip in chips.table().values():
        assert chip.source
        assert (chip.hbm_gbps is None) == (chip.hbm_source is None)
        assert chip.hbm_gbps is None or 500 <= chip.hbm_gbps <= 5000
        if chip.cube_fp16_tflops is not None and chip.cube_fp16_tflops > 10:
            peak = chip.cube_cores * chip.cube_mhz * 16 * 16 * 16 * 2 / 1e6
            assert chip.cube_fp16_tflops == pytest.approx(peak, abs=0.1)


@pytest.mark.parametrize(
    ("core_mhz", "split", "name"),
    [
        (43_200, True, "Ascend910B2"),  # 24 cores at 1800: also B2C and two 910_93 parts, all alike
        (36_000, True, "Ascend910B3"),
        (44_400, True, "Ascend910B1"),
        (30_000, True, None),  # B4, B4-1 and 9362: their memories differ
        (52_800, True, None),  # PR and DT of the 950
        (32_000, False, "Ascend910A"),
        (32_000, True, None),
        (None, True, None),
    ],
)
def test_a_product_of_cores_and_frequency_names_a_part_only_where_peaks_agree(core_mhz, split, name):
    found = chips.by_core_mhz(core_mhz, split)
    assert (found.name if found else None) == name


def rows_of(core_mhz):
    """Cube rows whose occupancy column gives this product away, beside a vector row."""
    rows = [op(us=30.0, core="AI_VECTOR_CORE", **vector(us=30.0))]
    for us, pct in ((200.0, 80.0), (150.0, 66.3), (90.0, 92.5)):
        cycles = core_mhz * us * pct / 100
        rows.append(op(us=us, cube_utilization_pct=pct, aic_total_cycles=cycles, **cube(us=us)))
    return rows


def test_chip_is_inferred_from_cycles_and_occupancy():
    chosen = look(*rows_of(36_000)).chip
    assert (chosen.name, chosen.source, chosen.hbm_gbps) == ("Ascend910B3", "inferred", 1600)


def test_rows_that_disagree_name_no_chip():
    assert look(*rows_of(36_000)[:2], *rows_of(25_000), *rows_of(55_000)).chip.name is None


def test_option_beats_metadata_beats_inference():
    rows = rows_of(36_000)
    assert look(*rows, chip="910B1").chip.source == "option"
    told = choice.choose(profile(rows, chip="Ascend910B4"), None, None)
    assert (told.name, told.source, told.hbm_gbps) == ("Ascend910B4", "info.json", 800)


def test_a_family_name_is_not_taken_for_the_old_part():
    told = choice.choose(profile(rows_of(36_000), chip="Ascend910B"), None, None)
    assert (told.name, told.source) == ("Ascend910B3", "inferred")


def test_bandwidth_option_gives_a_bound_without_a_chip():
    row = op(
        us=100.0,
        type="Add",
        input_shapes="1048576",
        input_dtypes="FLOAT",
        output_shapes="1048576",
        output_dtypes="FLOAT",
    )
    summary = look(row, hbm_gbps=1000.0)
    assert (summary.chip.name, summary.chip.hbm_source) == (None, "option")
    assert summary.ops.row(0)["bound_us"] == pytest.approx(8.388608)


def test_peaks_follow_the_cores_and_frequency_of_the_box():
    part = chips.scaled(chips.find("910B4"), 20, 40, 1650.0)
    assert part.cube_fp16_tflops == pytest.approx(245.8 * 1.1)
    assert part.vector_fp32_tflops == pytest.approx(7.7 * 1.1)
    assert part.hbm_gbps == 800


@pytest.mark.parametrize("spelled", ["Ascend910B4-1", "Ascend910B4_1", "910b4-1", "Ascend 910B4-1"])
def test_a_dash_or_an_underscore_is_the_same_part(spelled):
    assert chips.find(spelled).name == "Ascend910B4-1"


@pytest.mark.parametrize("family", ["910C", "A3", "310P", "310B", "950"])
def test_a_family_is_no_part(family):
    """Its parts differ in cores and clock: those of the profile tell which it was."""
    assert chips.find(family) is None
