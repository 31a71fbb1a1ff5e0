"""The lines of a table of types by name."""

from __future__ import annotations

from npuscope.cli.reporting.typenames import type_names
from npuscope.parsers.table import Strings, Table


def types(*lines):
    names, cores = zip(*lines)
    return Table({"type": Strings.of(names), "core": Strings.of(cores)})


def test_a_type_on_two_kinds_of_core_is_told_apart_others_stay_as_they_are():
    table = types(("MatMulV3", "AI_CORE"), ("Cast", "AI_VECTOR_CORE"), ("MatMulV3", "MIX_AIC"), (None, None))
    assert type_names(table) == ["MatMulV3 [AI_CORE]", "Cast", "MatMulV3 [MIX_AIC]", "–"]


def test_the_core_stays_where_the_name_is_cut_and_control_codes_do_not():
    table = types(("A" * 40, "MIX_AIC"), ("A" * 40, "AI_\x1bCORE"))
    assert type_names(table, 30) == ["A" * 19 + "… [MIX_AIC]", "A" * 18 + "… [AI_\ufffdCORE]"]
