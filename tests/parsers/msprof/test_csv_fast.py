"""The fast way and the exact way give the same table, whatever is in the file."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from npuscope.parsers import csv_table
from npuscope.parsers.columns import columns_of, is_operator_table
from npuscope.parsers.csv_table import read_csv
from npuscope.parsers.msprof import quick
from npuscope.parsers.msprof.tables.csv_fast import read_block
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Strings

HEADER = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Dim,Input Shapes,Context ID,aicore_time(us),aic_mac_ratio,cube_utilization(%)"
)
GOOD = (
    '0,4294967295,7,2,MatMul_1,MatMulV2,AI_CORE,1760000000000000.125\t,110.250,0.5,24,"""1,2;2,3""",N/A,99.5,0.31,12.5'
)

texts = st.sampled_from(
    [
        "a",
        "MatMul",
        "N/A",
        "NA",
        "",
        "na",
        "nan",
        "None",
        "名字",
        'quo"te',
        "a b",
        " pad ",
        "f<int, 2>",
        "é",
        "\u2028x",
        "007",
        "1.50",
    ]
)
figures = st.one_of(
    st.floats(0, 1e6).map(lambda x: f"{x:.3f}"),
    st.sampled_from(
        ["0", "N/A", "NA", "", "inf", "-0.02", "1e3", " 7 ", "x", "1_0", "nan", "5\t", "7.0", "1234567890123456789"]
    ),
)
starts = st.one_of(
    st.integers(0, 9 * 10**15).map(lambda n: f"{n}.{n % 1000:03d}\t"),
    st.sampled_from(
        ["1760000000000000.125\t", "1760000000000000", "1.76E+15", "N/A", "", "12.5", "1760000000000000.1256", "x"]
    ),
)


@st.composite
def rows(draw):
    cells = [draw(figures) for _ in range(16)]
    for place in (4, 5, 6, 11):
        cells[place] = draw(texts)
    cells[7] = draw(starts)
    if draw(st.booleans()):
        cells[8] = f"{draw(st.floats(0, 1e5)):.3f}"
    change = draw(st.sampled_from([None] * 12 + ["short", "long", "raw comma"]))
    if change == "short":
        del cells[draw(st.integers(0, 15))]
    if change == "long":
        cells.insert(draw(st.integers(0, 16)), "extra")
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue() if change != "raw comma" else out.getvalue().replace("a", "a,b", 1)


lines = st.lists(
    st.one_of(st.just(GOOD), rows(), st.sampled_from(["", '"', "\0", "a\rb", "  ", '"two\nlines"', GOOD[:60]])),
    max_size=12,
)


def same(one, other):
    assert one.table.columns.keys() == other.table.columns.keys()
    assert (one.rows_skipped, [p.code for p in one.problems]) == (other.rows_skipped, [p.code for p in other.problems])
    assert [(p.line, p.message) for p in one.problems] == [(p.line, p.message) for p in other.problems]
    for name, column in one.table.columns.items():
        if isinstance(column, Strings):
            assert column.tolist() == other.table.strings(name).tolist(), name
        else:
            numbers = other.table.numbers(name)
            assert column.dtype == numbers.dtype
            exact = column.dtype.kind == "i"
            np.testing.assert_allclose(
                column, numbers, rtol=0 if exact else 1e-6 if column.dtype == np.float32 else 1e-12
            )


def numbered(cells, **others):
    """A file of rows that are GOOD but for one cell each, by the name of its column."""
    header = HEADER.split(",")
    lines = []
    for row in cells:
        good = next(csv.reader([GOOD]))
        for name, cell in {**row, **others}.items():
            good[header.index(name)] = cell
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow(good)
        lines.append(out.getvalue())
    return "\n".join([HEADER, *lines, ""]).encode()


@pytest.mark.parametrize("word", ["True", "TRUE", "false", " true"])
@pytest.mark.parametrize("first", ["True", "N/A"])
def test_a_column_of_truths_is_no_column_of_ones(file, first, word):
    file.write_bytes(
        numbered(
            [{"Stream ID": first, "Task Wait Time(us)": first}, *[{"Stream ID": word, "Task Wait Time(us)": word}] * 3]
        )
    )
    fast = read(file, read_block)
    same(read(file), fast)
    assert fast.table.numbers("stream").tolist() == [-1] * 4
    assert np.isnan(fast.table.numbers("wait_us")).all()


def test_a_start_that_is_no_utf_8_makes_the_file_another_encoding_both_ways(file):
    file.write_bytes(numbered([{}] * 3).replace(b"1760000000000000.125", b"\xff760000000000000.125", 1))
    exact, fast = read(file), read(file, read_block)
    same(exact, fast)
    assert [problem.code for problem in fast.problems] == ["encoding"]
    assert fast.table.numbers("start_ns").tolist() == [-1, 1760000000000000125, 1760000000000000125]


def test_starts_beyond_64_bits_are_unknown(file):
    file.write_bytes(numbered([{"Task Start Time(us)": "9999999999999999.999\t"}] * 2))
    fast = read(file, read_block)
    same(read(file), fast)
    assert fast.table.numbers("start_ns").tolist() == [-1, -1]


def test_an_infinite_time_is_unknown_and_an_infinite_counter_stays_to_be_told(file):
    file.write_bytes(numbered([{"Task Wait Time(us)": "1e400", "aicore_time(us)": "inf"}] * 2))
    for found in (read(file), read(file, read_block)):
        assert np.isnan(found.table.numbers("wait_us")).all()
        assert np.isinf(found.table.numbers("aic_time_us")).all()


def read(path, fast=None):
    try:
        return read_csv(str(path), is_operator_table, fast)
    except ParseError as error:
        return error.problem.code


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fast") / "op_summary.csv"


@settings(max_examples=300, deadline=None)
@given(
    lines=lines,
    end=st.sampled_from(["", "\n", "\r\n"]),
    block=st.sampled_from([200, 1000, 1 << 20]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
@example(lines=[GOOD] * 9, end="\n", block=400, newline="\n")
@example(lines=[GOOD, GOOD.replace("MatMulV2", "Mat,MulV2"), GOOD], end="\n", block=1 << 20, newline="\n")
@example(lines=[GOOD + ",1,2,3", GOOD], end="\n", block=1 << 20, newline="\n")
@example(lines=[GOOD, GOOD.rpartition(",")[0], GOOD.rpartition(",")[0] + ","], end="\n", block=1 << 20, newline="\n")
@example(lines=['"', GOOD, '"', GOOD, GOOD], end="", block=200, newline="\n")
@example(lines=[GOOD.replace("MatMul_1", 'a"b,c"d')], end="\n", block=1 << 20, newline="\n")
def test_fast_and_exact_agree(file, lines, end, block, newline):
    file.write_bytes((HEADER + newline + newline.join(lines) + end).encode())
    exact = read(file)
    old, csv_table.BLOCK_BYTES = csv_table.BLOCK_BYTES, block
    try:
        fast = read(file, read_block)
    finally:
        csv_table.BLOCK_BYTES = old
    if isinstance(exact, str):
        assert fast == exact
        return
    same(exact, fast)
    quick_agrees(file, exact.table, block)


def quick_agrees(file, table, block):
    old, quick.BLOCK_BYTES = quick.BLOCK_BYTES, block
    totals, want = quick.Totals(), quick.Totals()
    want.add_profile(table, None)
    try:
        quick.add_file(totals, str(file))
    except quick.OddFileError:
        return
    finally:
        quick.BLOCK_BYTES = old
    got, wanted = totals.table(), want.table()
    keys = [sorted(map(str, zip(t.strings("type").tolist(), t.strings("core").tolist()))) for t in (got, wanted)]
    assert keys[0] == keys[1]
    assert sorted(got.numbers("count")) == sorted(wanted.numbers("count"))
    np.testing.assert_allclose(sorted(got.numbers("total_us")), sorted(wanted.numbers("total_us")), rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(order=st.permutations(range(12)))
def test_the_order_of_rows_does_not_matter(file, order):
    table = [GOOD.replace("MatMul_1", f"op{n}").replace("110.250", f"{n}.5") for n in range(12)]
    found = []
    for one in (range(12), order):
        file.write_text("\n".join([HEADER, *(table[n] for n in one)]) + "\n", encoding="utf-8")
        got = read(file, read_block)
        found.append(
            sorted((row["name"], row["duration_us"], row["start_ns"]) for row in map(got.table.row, range(12)))
        )
    assert found[0] == found[1]


def test_a_clean_block_is_read_the_fast_way(file):
    block = (GOOD + "\n").encode() * 50
    pieces = read_block(block, columns_of(HEADER.split(",")), 16)
    assert pieces["start_ns"].tolist() == [1760000000000000125] * 50
    assert pieces["duration_us"].tolist() == [110.25] * 50


@pytest.mark.parametrize(
    "line",
    [
        GOOD + ",1", GOOD.rpartition(",")[0], GOOD.replace("110.250", "N/A"), GOOD.replace("110.250", "x"), GOOD + "\0",
        "", "  ", GOOD.replace("1760000000000000.125\t", "1.76E+15"),
        GOOD.replace("0,4294967295", "0,9007199254740993"),
        GOOD.replace("MatMul_1", '"a\nb"'), GOOD.replace("MatMul_1", "a\rb"), GOOD.rpartition(",")[0] + ",",
    ],
)  # fmt: skip
def test_an_odd_block_is_left_to_the_exact_way(line):
    block = (GOOD + "\n" + line + "\n").encode()
    assert read_block(block, columns_of(HEADER.split(",")), 16) is None


def test_gb18030_blocks_are_read_the_fast_way_too(file):
    file.write_bytes((HEADER + "\n" + (GOOD.replace("MatMul_1", "矩阵乘") + "\n") * 30).encode("gb18030"))
    same(read(file), read(file, read_block))
    assert read(file, read_block).table.strings("name")[0] == "矩阵乘"


@pytest.mark.parametrize("cell", ["-50.5", "-0.001", "inf", "-inf"])
def test_a_row_whose_time_is_less_than_nothing_is_left_out_every_way(file, cell):
    file.write_bytes(numbered([{}, {"Task Duration(us)": cell}, {}]))
    exact, fast = read(file), read(file, read_block)
    same(exact, fast)
    assert (len(exact.table), exact.rows_skipped, exact.problems[0].line) == (2, 1, 3)
    totals = quick.Totals()
    quick.add_file(totals, str(file))
    assert totals.table().row(0) == {"type": "MatMulV2", "core": "AI_CORE", "count": 2, "total_us": 220.5}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_said_to_be_that(file, encoding):
    file.write_bytes(("\ufeff" + numbered([{}]).decode()).encode(encoding))
    assert read(file) == "encoding"


@pytest.mark.parametrize("end", ["\r", "\r ", "\n\r", "\r\r\n"])
def test_lines_that_end_in_another_way_are_lines(file, end):
    file.write_bytes(end.join([HEADER, GOOD, GOOD, ""]).encode())
    exact = read(file)
    assert len(exact.table) == 2
    same(exact, read(file, read_block))
