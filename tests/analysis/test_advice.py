"""What is advised: ranked by what public pairs gained, silent on what they show not to help, per way of writing."""

from __future__ import annotations

import re
import string

import pytest

from npuscope.analysis.labels.advice import A2, A5, ADVICE, MOST, OWN, WORDED, Context, advise
from npuscope.analysis.labels.judge import DETAILS, RULES
from npuscope.analysis.labels.models import ASCENDC, FRAMEWORK, MODELS, NEUTRAL, TBE, TILELANG, TRITON, model_of
from npuscope.analysis.labels.pages import PAGES
from npuscope.tui import text


def keys(label, detail, **context):
    made = Context(**{"model": ASCENDC, "family": A2, **context})
    return [said.key.removeprefix("advice.").removesuffix(f".{made.model}") for said in advise(label, detail, made)]


def test_one_core_is_told_before_anything_else():
    """One of 48 cores: a pair took 96 % away by using all."""
    assert keys("memory", "few-cores", block=1, cores=48)[0] == "all-cores"
    assert keys("stall", "few-cores", block=4, cores=64)[0] == "all-cores"
    assert "all-cores" not in keys("memory", "hbm", block=48, cores=48)


def test_a_bandwidth_bound_elementwise_operator_is_told_to_bypass_l2():
    """add_A2_c4: 29 % less; double buffering there gave 1.7 %, a bank conflict fix 1.7 %."""
    said = keys("memory", "hbm", bandwidth=0.95, move=0.97, conflict=True)
    assert said[0] == "bypass"
    assert not {"double-buffer", "conflicts"} & set(said)


def test_double_buffering_is_for_movement_with_room_in_between():
    """lu_addcmul: 27 to 38 % less with double buffer and larger tiles, mte2 0.80 to 0.86 before."""
    assert "double-buffer" in keys("memory", "hbm", bandwidth=0.5, move=0.80)
    assert "double-buffer" not in keys("stall", "scalar", move=0.2)


def test_what_depends_on_the_chip():
    """Unaligned rows cost 22 to 48 % on A2, 2 to 8 % on 950; L2 splitting gave nothing there."""
    assert keys("access", "unaligned", matmul=True)[0] == "align" or "nd2nz" in keys("access", "unaligned", matmul=True)
    (said,) = [s for s in advise("access", "", Context(ASCENDC, A2)) if s.key == "advice.align.ascendc"]
    assert (said.params["gain"], said.params["where"]) == ("22–48", A2)
    assert "align" not in keys("access", "", family=A5)
    assert "align" in keys("access", "", family=A5, ragged=True)
    assert "l2-split" in keys("memory", "tiling", matmul=True)
    assert "l2-split" not in keys("memory", "tiling", matmul=True, family=A5)


def test_a_full_cube_is_told_to_be_at_its_limit():
    """mm_950_c5 to c7: 0 to 1.2 % for UnitFlag, L2 split and constant tiling."""
    assert "at-limit" in keys("compute", "cube", cube=0.99, family=A5)
    assert "at-limit" not in keys("compute", "cube", cube=0.85, family=A5)


def test_ranked_by_gain():
    said = advise("launch", "gap", Context(FRAMEWORK, A2))
    assert [one.key for one in said][:2] == ["advice.batch", "advice.graph"]
    assert keys("stall", "scalar")[0] == "vectorise"


def test_a_framework_operator_is_not_told_to_change_its_kernel():
    for (label, detail), entries in ADVICE.items():
        said = keys(label, detail, model=FRAMEWORK, matmul=True, mix=True, block=4, cores=48)
        own = {entry.key for entry in entries if entry.models and set(entry.models) <= set(OWN)}
        assert not own & set(said) - {"packets"}, (label, detail)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("label_and_detail", [(r.label, d) for r in RULES for d in r.details])
def test_every_label_has_advice_in_every_way_of_writing(label_and_detail, model):
    for family in (A2, A5, "310P", ""):
        said = advise(*label_and_detail, Context(model, family, block=4, cores=48, move=0.5, bandwidth=0.3, mix=True))
        assert 1 <= len(said) <= MOST
        for one in said:
            assert text.has(one.key), one.key


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_every_sentence_gets_what_it_asks_for(language):
    words = text.load(language)
    every = {"block": 4, "cores": 48, "matmul": True, "mix": True, "attention": True, "simt": True, "ragged": True,
             "conflict": True, "cube": 0.99, "move": 0.5, "bandwidth": 0.7, "hit": 0.1}  # fmt: skip
    for entries in ADVICE.values():
        for entry in entries:
            for model in entry.models or MODELS:
                for family in entry.families or (A2, A5, ""):
                    said = entry.said(Context(model, family, **every))
                    asked = {name for _, name, _, _ in string.Formatter().parse(words[said.key]) if name}
                    assert asked <= set(said.params), (said.key, asked, dict(said.params))


def test_no_words_are_left_over():
    words = {key for key in text.load("en") if key.startswith("advice.")}
    used = {"advice.collect", "advice.simt"}
    for entries in ADVICE.values():
        for entry in entries:
            names = [f".{model}" for model in entry.models or MODELS] if entry.key in WORDED else [""]
            used |= {f"advice.{entry.key}{name}" for name in names}
    assert used == words


def test_details_that_have_no_advice_of_their_own_take_their_label_s():
    assert {(label, "") for label in ("memory", "access", "stall", "launch")} <= set(ADVICE)
    assert {detail for label, detail in ADVICE if detail and label != "other"} <= set(DETAILS)
    assert {detail for label, detail in ADVICE if label == "other"} == {"helper", "fused"}  # explainer tells them apart


@pytest.mark.parametrize(
    ("name", "kind", "tool", "model"),
    [
        ("aclnnAdd_AddCommon_Add", "Add", "msprof", FRAMEWORK),
        ("MatMulV2_3", "MatMulV2", "torch_npu", FRAMEWORK),
        ("add_custom", "AddCustom", "msprof", ASCENDC),
        ("my_fast_kernel", "my_fast_kernel", "msprof", ASCENDC),
        ("Add", "vector", "msprof_op", ASCENDC),
        ("triton_unk_fused_add_0", "triton_unk_fused_add_0", "msprof", TRITON),
        ("_layer_norm_fwd_fused", "_layer_norm_fwd_fused", "torch_npu", TRITON),
        ("main_kernel", "main_kernel", "msprof", TILELANG),
        ("te_add_3b0e_0__kernel0", "te_add", "msprof", TBE),
        ("rope_half_2", "rope_half_2", "msprof", NEUTRAL),
        (None, None, "msprof", NEUTRAL),
    ],
)
def test_in_what_it_was_written(name, kind, tool, model):
    assert model_of(name, kind, tool) == model


def test_every_page_that_is_named_has_an_address_and_words():
    named = {entry.page for entries in ADVICE.values() for entry in entries if entry.page} | {"triton"}
    assert named <= set(PAGES)
    for language in text.LANGUAGES:
        words = text.load(language)
        assert {key.removeprefix("page.") for key in words if key.startswith("page.")} == set(PAGES)
    assert all(address.startswith("https://") for address in PAGES.values())


@pytest.mark.parametrize("detail", ["hbm", "l2", "balanced", "write-out"])
def test_a_fused_attention_of_the_framework_is_not_told_to_use_a_fused_operator(detail):
    assert "fuse" in keys("memory", detail, model=FRAMEWORK)
    said = keys("memory", detail, model=FRAMEWORK, attention=True)
    assert "fuse" not in said and "other-kernel" in said
    assert "fuse" in keys("memory", detail, attention=True)  # one's own kernel may take in its neighbours


@pytest.mark.parametrize("model", MODELS)
def test_no_label_is_left_without_advice_where_all_cores_work(model):
    full = {"block": 48, "cores": 48, "move": 0.85, "bandwidth": 0.5, "ragged": False, "hit": 0.9}
    for rule in RULES:
        for detail in rule.details:
            for kind in ("matmul", "attention", "conflict"):
                for family in (A2, A5, ""):
                    said = advise(rule.label, detail, Context(model, family, **full, **{kind: True}))
                    assert said, (rule.label, detail, kind, family)


def test_what_the_data_are_already_is_not_advised():
    assert "quantise" in keys("compute", "cube", cube=0.85)
    assert "quantise" not in keys("compute", "cube", cube=0.85, unit="cube_int8")
    assert "precision" not in keys("compute", "vector", unit="vector_fp16")


def test_nobody_is_told_the_words_of_another_way_of_writing():
    for (label, detail), entries in ADVICE.items():
        for model in (NEUTRAL, TRITON, TILELANG, FRAMEWORK):
            for one in advise(label, detail, Context(model, A2, block=4, cores=48, move=0.5, bandwidth=0.3)):
                said = text.told(one)
                assert not {"SetBlockDim", "DataCopyParams", "MDL", "GetValue"} & set(re.findall(r"\w+", said)), entries
