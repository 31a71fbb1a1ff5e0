"""Rows that are no core kernel: communication, AI CPU, and tasks without core counters. They get no pipe verdict."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.table import Strings, Table

KERNEL, COMMUNICATION, AI_CPU, OTHER = range(4)
LABELS = {COMMUNICATION: "communication", AI_CPU: "ai_cpu", OTHER: "other"}

_CPU = ("AI_CPU", "AICPU")
_COMMUNICATION_CORES = ("COMMUNICATION", "HCCL")
_COMMUNICATION_NAME = re.compile(r"^(hcom|lccl|lcoc)", re.I)  # [ADV check_hccl]
# fused communication and computation [compare_config.ini]: neither time nor pipes tell which of the two it waits for
_FUSED = re.compile(
    r"allgather(base)?_?matmul|matmul_?(reduce_?scatter|all_?reduce)|all_?to_?all_?.*matmul|distribute_?(dispatch|combine)|dispatch_?ffn",
    re.I,
)
_HELPER = re.compile(r"AicpuKernel", re.I)  # AI CPU half of a collective, not an operator that fell back [AGT]
_OTHER_CORE = re.compile(
    r"SDMA|MEMCPY|EVENT|NOTIFY|PLACE_HOLDER|DSA|DVPP|WRITE_VALUE|PROFILING|RINGBUFFER|STARS|FFTS_PLUS|^HOST", re.I
)


def kind_codes(table: Table) -> NDArray[np.int8]:
    """KERNEL, COMMUNICATION, AI_CPU or OTHER of each row."""
    core, kind, name = table.strings("core"), table.strings("type"), table.strings("name")
    codes = np.zeros(len(table), dtype=np.int8)
    codes[_matches(core, lambda text: bool(_OTHER_CORE.search(text)))] = OTHER
    codes[_matches(kind, lambda text: bool(_FUSED.search(text)))] = OTHER
    codes[core.mask(_CPU)] = AI_CPU
    for texts in (name, kind):
        codes[(codes == AI_CPU) & _matches(texts, lambda text: bool(_HELPER.search(text)))] = OTHER
    named = _matches(kind, lambda text: bool(_COMMUNICATION_NAME.match(text)))
    codes[(named | _hcom_names(kind, name)) & (codes == KERNEL)] = COMMUNICATION
    codes[core.mask(_COMMUNICATION_CORES)] = COMMUNICATION
    return codes


def computes(table: Table, kind: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Rows that compute, so that communication beside them costs nothing: not the AI CPU half of a collective either,
    which stands on the device as long as the collective waits for the other ranks.
    """
    found: NDArray[np.bool_] = (kind != COMMUNICATION) & ~((kind == OTHER) & table.strings("core").mask(_CPU))
    return found


def _hcom_names(kind: Strings, name: Strings) -> NDArray[np.bool_]:
    """At level 0 a row has a name and no type."""
    if not (kind.codes < 0).any():
        return np.zeros(len(kind), dtype=bool)
    return (kind.codes < 0) & _matches(name, lambda text: bool(_COMMUNICATION_NAME.match(text)))


def _matches(texts: Strings, wanted: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Rows whose text is wanted, asked once per distinct text."""
    hits = np.array([*(wanted(text) for text in texts.values), False], dtype=bool)
    return hits[texts.codes]


def is_fused(type_name: str | None) -> bool:
    """Whether a type computes and communicates in one kernel."""
    return bool(type_name and _FUSED.search(type_name))


def is_communication_core(core: str | None) -> bool:
    """Whether a task type is that of a collective."""
    return core in _COMMUNICATION_CORES


def sends(type_name: str | None, name: str | None) -> bool:
    """Whether a type's name, or where there is none the operator's, is that of a collective."""
    return bool(_COMMUNICATION_NAME.match(type_name or name or ""))


def is_other_core(core: str | None) -> bool:
    """Whether a task type has no core counters."""
    return bool(core and _OTHER_CORE.search(core))


def is_helper(type_name: str | None, name: str | None) -> bool:
    """Whether a name is that of the AI CPU's half of a collective."""
    return any(text and _HELPER.search(text) for text in (type_name, name))
