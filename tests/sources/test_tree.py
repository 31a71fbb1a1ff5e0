"""What a look under a root finds different. Times are handed in and nothing waits."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from npuscope.sources import tree as tree_module
from npuscope.sources.tree import HOT_LOOKS, MOST_FILES, MOST_HOT, TURNS, Seen, Tree

NAME = "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
LATER = 1e6


def exported(root, name=NAME):
    output = root / name / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    (output / "op_summary_20260102030500.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return root / name


def looked(root):
    """A tree that knows the root as it is, files and all, with no run of it young."""
    tree = Tree(str(root))
    for _ in range(TURNS + 1):
        tree.look(time.time() + LATER)
    return tree


def paths(tree):
    return {os.path.relpath(path, tree.root) for path in tree.look(time.time()).paths}


def test_a_root_that_appears_vanishes_and_returns(tmp_path):
    root = tmp_path / "later"
    tree = Tree(str(root))
    assert not tree.look(0.0).whole
    exported(root)
    seen = tree.look(0.0)
    assert seen.whole and seen.paths == {str(root / NAME)}
    assert not tree.look(0.0).whole
    shutil.rmtree(root)
    assert tree.look(0.0).whole
    root.mkdir()
    assert tree.look(0.0).whole


def test_a_root_replaced_by_another_of_its_name(tmp_path):
    root = tmp_path / "root"
    exported(root)
    tree = looked(root)
    other = tmp_path / "other"
    exported(other, "PROF_000002_20260102030405006_AB")
    root.rename(tmp_path / "old")
    other.rename(root)
    assert tree.look(0.0).whole
    assert paths(tree) == set()


def test_nothing_changed_nothing_said(tmp_path):
    exported(tmp_path)
    tree = looked(tmp_path)
    assert all(tree.look(0.0).paths == frozenset() for _ in range(2 * TURNS))


def test_at_the_start_names_are_taken_then_what_may_still_be_written_is_told(tmp_path):
    run = exported(tmp_path)
    tree = Tree(str(tmp_path))
    assert tree.look(time.time()) == Seen(whole=True)
    assert tree.look(time.time()) == Seen(young=frozenset({str(run)}))
    assert tree.look(time.time()) == Seen()


def test_an_old_run_at_the_start_is_never_told(tmp_path):
    exported(tmp_path)
    tree = Tree(str(tmp_path))
    assert tree.look(time.time() + LATER).whole
    assert all(tree.look(time.time() + LATER) == Seen() for _ in range(2 * TURNS))


def test_a_file_that_grows_in_an_old_folder_is_young_when_its_turn_comes(tmp_path):
    """Its folders have not changed for long: only the file itself tells, and that costs more than names."""
    run = exported(tmp_path)
    output = run / "mindstudio_profiler_output"
    tree = Tree(str(tmp_path))
    changed_at = max(path.stat().st_ctime for path in (run, output))
    tree.look(changed_at + HOT_LOOKS + 1)
    before = [tree.look(changed_at + HOT_LOOKS + 1) for _ in range(3)]
    assert all(seen.paths == frozenset() for seen in before)
    with (output / "op_summary_20260102030500.csv").open("a", encoding="utf-8") as table:
        table.write("3,4\n")
    after = [tree.look(time.time()) for _ in range(TURNS)]
    assert [seen.young | seen.paths for seen in after if seen != Seen()] == [{str(run)}]


def test_a_run_grown_step_by_step(tmp_path):
    tree = looked(tmp_path)
    run = tmp_path / NAME
    steps = (
        lambda: run.mkdir(),
        lambda: (run / "device_0" / "data").mkdir(parents=True),
        lambda: (run / "device_0" / "data" / "stars_soc.data.0.slice_0").write_bytes(b"x" * 10),
        lambda: (run / "device_0" / "data" / "stars_soc.data.0.slice_0").write_bytes(b"x" * 20),
        lambda: (run / "host").mkdir(),
        lambda: (run / "mindstudio_profiler_output").mkdir(),
        lambda: (run / "mindstudio_profiler_output" / "op_summary_1.csv").write_text("a", encoding="utf-8"),
        lambda: (run / "mindstudio_profiler_output" / "op_summary_1.csv").write_text("a,b\n", encoding="utf-8"),
        lambda: (run / "mindstudio_profiler_output" / "README.txt").write_text("done", encoding="utf-8"),
        lambda: (run / "msprof_20260102030500.db").write_bytes(b"SQLite"),
        lambda: (run / "mindstudio_profiler_output" / "op_summary_1.csv").unlink(),
    )
    for number, step in enumerate(steps):
        step()
        assert paths(tree) == {NAME}, number
        assert paths(tree) == set(), number


def test_raw_data_beside_an_export_is_not_asked_about(tmp_path):
    run = exported(tmp_path)
    (run / "device_0" / "data").mkdir(parents=True)
    (run / "device_0" / "data" / "a.slice_0").write_bytes(b"x")
    tree = Tree(str(tmp_path))
    for _ in range(2):
        tree.look(time.time())
    (run / "device_0" / "data" / "a.slice_0").write_bytes(b"xx")
    assert paths(tree) == set()


def test_a_file_rewritten_in_place_long_after_is_found_within_a_round(tmp_path):
    """No folder's time changes then; on a network file system there is no event either."""
    run = exported(tmp_path)
    tree = looked(tmp_path)
    (run / "mindstudio_profiler_output" / "op_summary_20260102030500.csv").write_text(
        "a,b\n1,2\n3,4\n", encoding="utf-8"
    )
    rounds = [paths(tree) for _ in range(TURNS)]
    assert rounds.count({NAME}) == 1


def test_an_event_makes_the_next_look_thorough(tmp_path):
    run = exported(tmp_path)
    tree = looked(tmp_path)
    (run / "mindstudio_profiler_output" / "op_summary_20260102030500.csv").write_text("longer\n" * 9, encoding="utf-8")
    tree.heat(str(run))
    assert paths(tree) == {NAME}
    tree.heat(str(run / "no such run"))


def test_a_tree_at_once_its_renaming_and_its_end(tmp_path):
    tree = looked(tmp_path)
    run = exported(tmp_path / "host1" / "rank0")
    assert paths(tree) == {f"host1/rank0/{NAME}"}
    (tmp_path / "host1").rename(tmp_path / "host2")
    assert paths(tree) == {f"host1/rank0/{NAME}", f"host2/rank0/{NAME}"}
    shutil.rmtree(tmp_path / "host2")
    assert paths(tree) == {f"host2/rank0/{NAME}"}
    assert not run.exists()


def test_torch_folders_and_msprof_op_folders(tmp_path):
    tree = looked(tmp_path)
    torch = tmp_path / "node_77_20260906010305656_ascend_pt"
    (torch / "PROF_000001_20260906010305656_AB" / "device_0" / "data").mkdir(parents=True)
    assert paths(tree) == {torch.name}
    (torch / "ASCEND_PROFILER_OUTPUT").mkdir()
    (torch / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").write_text("x", encoding="utf-8")
    assert paths(tree) == {torch.name}
    op = tmp_path / "OPPROF_20260102213301_ABCDEFGHIJKLMNOP"
    (op / "Add" / "0").mkdir(parents=True)
    assert paths(tree) == {op.name}
    (op / "Add" / "0" / "PipeUtilization_20260102213301000.csv").write_text("x", encoding="utf-8")
    assert paths(tree) == {op.name}


def test_a_simulation_is_watched_down_to_its_cores(tmp_path):
    core = tmp_path / "OPPROF_20260607120000_ABCDEFGHIJKLMNOP" / "Add" / "0" / "simulator" / "core0.veccore0"
    core.mkdir(parents=True)
    table = core / "core0.veccore0_instr_exe.csv"
    table.write_text("x", encoding="utf-8")
    tree = looked(tmp_path)
    assert paths(tree) == set()
    table.write_text("xy", encoding="utf-8")
    assert {core.parents[3].name} in [paths(tree) for _ in range(TURNS)]


def test_the_old_layout_exports_into_the_device(tmp_path):
    run = tmp_path / NAME
    (run / "device_0" / "summary").mkdir(parents=True)
    tree = looked(tmp_path)
    (run / "device_0" / "summary" / "op_summary_0_1.csv").write_text("x", encoding="utf-8")
    assert paths(tree) == {NAME}


@pytest.mark.parametrize("inner", ["", "mindstudio_profiler_output"])
def test_a_root_that_is_a_run_by_name_or_by_content(tmp_path, inner):
    run = tmp_path / ("run" if inner else NAME)
    (run / "mindstudio_profiler_output").mkdir(parents=True)
    tree = looked(run)
    (run / "mindstudio_profiler_output" / "op_summary_1.csv").write_text("x", encoding="utf-8")
    assert tree.look(0.0).paths == {str(run)}


def test_loose_tables_and_a_root_that_is_a_file(tmp_path):
    table = tmp_path / "kernel_details.csv"
    tree = looked(tmp_path)
    table.write_text("a", encoding="utf-8")
    assert paths(tree) == {table.name}
    alone = looked(table)
    assert paths(alone) == set()
    table.write_text("a,b", encoding="utf-8")
    assert paths(tree) == {table.name}
    assert alone.look(0.0).paths == {str(table)}
    table.unlink()
    assert paths(tree) == {table.name}
    assert alone.look(0.0).whole


def test_links_in_a_circle_end(tmp_path):
    exported(tmp_path / "a")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    tree = looked(tmp_path)
    exported(tmp_path / "a", "PROF_000002_20260102030405006_AB")
    assert paths(tree) == {"a/PROF_000002_20260102030405006_AB"}


def test_a_linked_run_is_seen(tmp_path):
    run = exported(tmp_path / "far")
    root = tmp_path / "root"
    root.mkdir()
    tree = looked(root)
    (root / NAME).symlink_to(run)
    assert paths(tree) == {NAME}
    (run / "mindstudio_profiler_output" / "README.txt").write_text("x", encoding="utf-8")
    assert paths(tree) == {NAME}


def test_what_may_not_be_read_is_no_error_and_seen_when_it_may(tmp_path, monkeypatch):
    run = exported(tmp_path)
    closed, scandir = {str(run / "mindstudio_profiler_output")}, os.scandir

    def refusing(path):
        if str(path) in closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(tree_module.os, "scandir", refusing)
    tree = looked(tmp_path)
    assert paths(tree) == set()
    closed.clear()
    run.chmod(0o755)
    assert {NAME} in [paths(tree) for _ in range(TURNS)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(tmp_path):
    run = exported(tmp_path)
    (run / "mindstudio_profiler_output").chmod(0)
    tree = looked(tmp_path)
    assert paths(tree) == set()
    (run / "mindstudio_profiler_output").chmod(0o755)
    assert {NAME} in [paths(tree) for _ in range(TURNS)]


def test_a_run_with_very_many_files_costs_no_more_than_the_limit(tmp_path, monkeypatch):
    op = tmp_path / "OPPROF_20260102213301_ABCDEFGHIJKLMNOP"
    for number in range(MOST_FILES):
        (op / f"Op{number}").mkdir(parents=True)
        (op / f"Op{number}" / "a.csv").touch()
    asked = []
    stamp = tree_module.stamp
    monkeypatch.setattr(tree_module, "stamp", lambda path: asked.append(path) or stamp(path))
    looked(tmp_path)
    assert len(asked) < 2 * MOST_FILES


def test_hidden_folders_and_packages_hold_no_runs(tmp_path):
    for name in (".cache", "node_modules"):
        exported(tmp_path / name)
    tree = Tree(str(tmp_path))
    assert tree.look(time.time()).whole
    assert tree.look(time.time()) == Seen()


def test_thousands_of_runs_copied_at_once_do_not_keep_the_poll_busy(tmp_path, monkeypatch):
    for number in range(3 * MOST_HOT):
        exported(tmp_path, f"PROF_{number:06d}_20260102030405006_AB")
    asked = []
    files = tree_module._files
    monkeypatch.setattr(tree_module, "_files", lambda run: asked.append(run) or files(run))
    tree = Tree(str(tmp_path))
    for _ in range(3):
        tree.look(time.time())
    asked.clear()
    tree.look(time.time())
    assert MOST_HOT <= len(asked) <= MOST_HOT + 3 * MOST_HOT // TURNS + 1
    assert any(f"PROF_{3 * MOST_HOT - 1:06d}" in run for run in asked)
