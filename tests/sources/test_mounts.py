"""File systems by the kernel's mount table."""

from __future__ import annotations

import pytest

from npuscope.sources import mounts

TABLE = r"""
sysfs /sys sysfs rw,nosuid 0 0
/dev/nvme0n1p2 / ext4 rw,relatime 0 0
node7:/export/home /home nfs4 rw,vers=4.2,addr=10.0.0.7 0 0
/dev/sdb1 /home/li/fast xfs rw 0 0
dev@a2-07:/data /mnt/my\040prof fuse.sshfs rw,user_id=1000 0 0
10.0.0.9@o2ib:/scratch /scratch lustre rw 0 0
overlay /var/lib/docker/overlay2/1/merged overlay rw 0 0
""".lstrip()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/root/prof", "ext4"),
        ("/home", "nfs4"),
        ("/home/li/prof", "nfs4"),
        ("/home/li/fast/prof", "xfs"),
        ("/homework", "ext4"),
        ("/mnt/my prof/run", "fuse.sshfs"),
        ("/scratch/prof", "lustre"),
        ("/var/lib/docker/overlay2/1/merged/root", "overlay"),
    ],
)
def test_the_innermost_mount_decides(path, kind):
    assert mounts.file_system(path, TABLE) == kind


def test_a_later_mount_hides_an_earlier_one():
    assert mounts.file_system("/home/li", TABLE + "tmpfs /home tmpfs rw 0 0\n") == "tmpfs"


@pytest.mark.parametrize("table", ["", "\n", "garbage\n", "one two\n"])
def test_no_table_no_answer(table):
    assert mounts.file_system("/home", table) is None


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.glusterfs", "lustre", "gpfs", "9p"]
)
def test_network_file_systems_are_silent(kind):
    assert mounts.silent(kind)


@pytest.mark.parametrize("kind", [None, "ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "fuseblk"])
def test_local_file_systems_are_not(kind):
    assert not mounts.silent(kind)


def test_a_path_is_followed_to_where_it_really_lies(tmp_path, monkeypatch):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    table = tmp_path / "mounts"
    table.write_text(f"/dev/sda1 / ext4 rw 0 0\nnode:/x {real.resolve()} nfs rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNTS", table)
    assert mounts.silent_file_system(str(tmp_path / "link" / "prof")) == "nfs"
    assert mounts.silent_file_system(str(tmp_path)) is None
    monkeypatch.setattr(mounts, "MOUNTS", tmp_path / "none")
    assert mounts.silent_file_system(str(real)) is None
