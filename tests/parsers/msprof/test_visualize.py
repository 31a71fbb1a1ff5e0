"""visualize_data.bin: the values of a real one, every kind of block, and any bytes at all."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.parsers.msprof.opprof import visualize
from npuscope.parsers.msprof.opprof.visualize import Advice, read
from npuscope.parsers.say import ParseError
from npuscope.tui import text

REAL = Path(__file__).parents[2] / "fixtures" / "msprof" / "OPPROF_20260522141522_WNUHHMLYKRJHLWIR" / visualize.NAME


def block(kind: int, content: bytes, path: bytes = b"", version: int = 0x5A) -> bytes:
    filling = -len(content) % 4
    head = struct.pack("<QBBBB", len(content) + filling, kind, filling, version, 0x5A)
    return head + path + content + b"\0" * filling


def made(kind: int, found: object) -> bytes:
    return block(kind, json.dumps(found, ensure_ascii=False).encode())


def written(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / visualize.NAME
    path.write_bytes(data)
    return str(path)


def test_a_real_file():
    found = read(str(REAL))
    assert (found.name, found.soc, found.duration_us) == ("Cummin_kernel", "Ascend910B2", pytest.approx(724.960022))
    assert found.blocks.numbers("block").tolist() == [0, 1, 2, 3]
    assert found.blocks.numbers("time_us").tolist() == [724.386658, 722.371643, 723.416138, 712.321655]
    assert found.blocks.strings("sub_block").tolist() == ["vector"] * 4
    assert found.load.row(3) == {
        "block": 3,
        "sub_block": "vector",
        "name": "Vector All Active",
        "pct": 0.0031196889467537403,
    }
    first = found.memory.row(0)
    assert (first["l2_hits"], first["l2_misses"], first["l2_hit_pct"]) == (2138, 200, 91.445679)
    assert (first["12_gbps"], first["13_gbps"]) == (0.021064, 0.358095)
    assert found.types == ((5, 1), (6, 1), (7, 1), (8, 1), (9, 1))
    assert found.cachelines is None


def test_advice_stands_once_with_the_number_of_blocks_it_is_said_of():
    assert read(str(REAL)).advice == (
        Advice("aivector compute usage lower than 20%", blocks=4),
        Advice("MTE2 bandwidth utilization lower than 80% when active", blocks=4),
        Advice("MTE3 bandwidth utilization lower than 80% when active", blocks=4),
    )


def test_class_and_occupancy(tmp_path):
    data = made(13, {"multiple_rooflines": [], "advice": "latency bound:pipeline caused"})
    data += made(12, {"advice": "\t1) vector0 of core[3] take more time than other vector cores.\n\t2) second.\n"})
    data += made(5, {"advice": ["NA", "", 7], "name": "k"})
    assert read(written(tmp_path, data)).advice == (
        Advice("latency bound:pipeline caused", "roofline"),
        Advice("vector0 of core[3] take more time than other vector cores", "occupancy"),
        Advice("second", "occupancy"),
    )


def test_cache_lines_are_read_when_asked_for(tmp_path):
    line = {"Cacheline Id": 7, "Hit": {"Value": [3, 0.75]}, "Miss": {"Value": [1, 0.25]}}
    idle = {"Cacheline Id": 8, "Hit": {"Value": [0, 0.0]}, "Miss": {"Value": [0, 0.0]}}
    path = written(tmp_path, made(14, {"Cacheline Records": [idle, line, {}, "x"]}))
    assert read(path).cachelines is None
    found = read(path, cachelines=True).cachelines
    assert [found.row(row) for row in range(len(found))] == [{"line": 7, "hits": 3, "misses": 1}]


def test_source_code_and_unknown_blocks_are_passed_over(tmp_path):
    code = block(1, b"int main() {}", path=b"/work/add.cpp".ljust(4096, b"\0"))
    data = code + block(4, b"{not json", version=0) + block(200, b"???") + made(5, {"name": "k", "soc": "Ascend910B3"})
    found = read(written(tmp_path, data))
    assert (found.name, found.soc, found.types) == ("k", "Ascend910B3", ((1, 1), (4, 1), (5, 1), (200, 1)))


@pytest.mark.parametrize(
    "value",
    [None, 5, "x", [], {}, [None], {"row": 3}, {"row": [{"value": ["0"]}, {"value": 3}, None]}, [{"advice": {}}]],
)
@pytest.mark.parametrize("kind", [5, 6, 8, 9, 12, 13, 14])
def test_content_of_other_shapes_tells_nothing(tmp_path, kind, value):
    keys = (
        "block_detail",
        "subblock_detail",
        "core_memory_map",
        "table_per_block",
        "advice",
        "Cacheline Records",
        "soc",
    )
    found = read(written(tmp_path, made(kind, dict.fromkeys(keys, value))), cachelines=True)
    assert found.blocks is None
    assert math.isnan(found.duration_us)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x5a" * 11,
        struct.pack("<QBBBB", 8, 5, 0, 0x5A, 0) + b"{}      ",  # no sign
        struct.pack("<QBBBB", 4, 5, 4, 0x5A, 0x5A) + b"{}  ",  # filling
        struct.pack("<QBBBB", 2, 5, 3, 0x5A, 0x5A) + b"{}",  # more filling than content
        struct.pack("<QBBBB", 4, 0, 0, 0x5A, 0x5A) + b"{}  ",  # no such type
        struct.pack("<QBBBB", 2**63, 5, 0, 0x5A, 0x5A) + b"{}  ",  # far too long
        block(5, b"[1]"),
        block(5, b"{"),
        block(5, b"\xff\xfe{}"),
        block(5, b"[" * 100_000),
        block(1, b"code"),  # without the path that source code has
        made(5, {}) + b"\0",
    ],
)
def test_what_is_no_such_file(tmp_path, data):
    with pytest.raises(ParseError) as raised:
        read(written(tmp_path, data))
    text.set_language("en")
    assert visualize.NAME in text.told(raised.value.problem.message)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ParseError):
        read(str(tmp_path / "none.bin"))
    with pytest.raises(ParseError):
        read(str(tmp_path))


def test_a_file_is_cut_anywhere(tmp_path):
    whole = REAL.read_bytes()
    ends, at = {0}, 0
    while at < len(whole):
        at += 12 + struct.unpack_from("<Q", whole, at)[0]
        ends.add(at)
    for cut in (*range(1, len(whole), 397), *(end + 1 for end in ends if end < len(whole))):
        if cut not in ends:
            with pytest.raises(ParseError):
                read(written(tmp_path, whole[:cut]))


def test_very_many_blocks_are_no_such_file(tmp_path, monkeypatch):
    monkeypatch.setattr(visualize, "MAX_BLOCKS", 3)
    assert read(written(tmp_path, made(7, {}) * 2)).types == ((7, 2),)
    with pytest.raises(ParseError):
        read(written(tmp_path, made(7, {}) * 4))


def test_a_large_block_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(visualize, "MAX_CONTENT", 64)
    found = read(written(tmp_path, made(5, {"name": "x" * 100}) + made(5, {"soc": "Ascend910B4"})))
    assert (found.name, found.soc, found.types) == (None, "Ascend910B4", ((5, 2),))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["advice", "row", "value", "block_id", "core_no", "L2cache", "memory_unit", "hit", "Hit", "Value"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["advice", "name", "soc", "duration", "block_detail", "subblock_detail", "core_memory_map", "table_per_block",
     "Cacheline Records"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(blocks=st.lists(st.tuples(st.integers(2, 20), st.dictionaries(KEYS, JSON, max_size=4)), max_size=4))
def test_any_content_is_read_or_refused(tmp_path_factory, blocks):
    data = b"".join(made(kind, content) for kind, content in blocks)
    path = written(tmp_path_factory.mktemp("any"), data)
    if not blocks:
        with pytest.raises(ParseError):
            read(path)
        return
    found = read(path, cachelines=True)
    assert sum(count for _, count in found.types) == len(blocks)
    assert all(one.text for one in found.advice)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200), at=st.integers(0, 5000), value=st.integers(0, 255))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, at, value):
    whole = bytearray(REAL.read_bytes())
    whole[at] = value
    for one in (data, bytes(whole)):
        try:
            read(written(tmp_path_factory.mktemp("any"), one), cachelines=True)
        except ParseError as error:
            assert error.problem.code in ("damaged", "empty-file")
