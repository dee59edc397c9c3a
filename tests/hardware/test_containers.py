"""Limits of a container, from planted trees of control groups."""

from __future__ import annotations

import pytest

from gpuedu.hardware.containers import Limits, read_limits
from tests.hardware.planted import GIB, plant

NO_LIMIT = 9223372036854771712


def limits_of(tmp_path, group, files):
    proc = plant(tmp_path / "proc", {"self/cgroup": group} if group else {"version": ""})
    return read_limits(proc, plant(tmp_path / "cgroup", files))


def test_version_2_reads_the_groups_own_files(tmp_path):
    files = {"memory.max": "2147483648\n", "cpu.max": "150000 100000\n", "memory.current": "1000\n"}
    found = limits_of(tmp_path, "0::/\n", files)
    assert found == Limits(2 * GIB, 1.5, 2 * GIB - 1000)


def test_version_2_max_is_no_limit(tmp_path):
    files = {"memory.max": "max\n", "cpu.max": "max 100000\n"}
    assert limits_of(tmp_path, "0::/\n", files) == Limits()


def test_the_strictest_limit_on_the_way_up_counts(tmp_path):
    files = {
        "pod/memory.max": f"{3 * GIB}",
        "pod/cpu.max": "50000 100000",
        "pod/box/memory.max": f"{5 * GIB}",
        "pod/box/cpu.max": "400000 100000",
        "other/memory.max": "17",
    }
    found = limits_of(tmp_path, "0::/pod/box\n", files)
    assert (found.memory_bytes, found.cores) == (3 * GIB, 0.5)


def test_a_path_from_outside_the_container_leaves_its_root(tmp_path):
    files = {"memory.max": f"{GIB}"}
    for group in ("0::/docker/abc\n", "0::/../../elsewhere\n"):
        assert limits_of(tmp_path, group, files).memory_bytes == GIB


@pytest.mark.parametrize("mount", ["cpu,cpuacct", "cpu"])
def test_version_1_reads_each_controllers_tree(tmp_path, mount):
    group = "5:memory:/box\n4:cpu,cpuacct:/box\n3:pids:/\n"
    files = {
        "memory/memory.limit_in_bytes": f"{NO_LIMIT}",
        "memory/box/memory.limit_in_bytes": f"{4 * GIB}",
        "memory/box/memory.usage_in_bytes": f"{3 * GIB}",
        "memory/box/memory.stat": f"cache 5\ninactive_file 7\ntotal_inactive_file {GIB}\n",
        f"{mount}/box/cpu.cfs_quota_us": "250000",
        f"{mount}/box/cpu.cfs_period_us": "100000",
    }
    assert limits_of(tmp_path, group, files) == Limits(4 * GIB, 2.5, 2 * GIB)


def test_version_1_without_limits(tmp_path):
    files = {
        "memory/memory.limit_in_bytes": f"{NO_LIMIT}",
        "cpu/cpu.cfs_quota_us": "-1",
        "cpu/cpu.cfs_period_us": "100000",
    }
    assert limits_of(tmp_path, "2:memory:/\n1:cpu:/\n0::/\n", files) == Limits()


def test_version_2_beside_version_1(tmp_path):
    files = {"unified/box/memory.max": f"{GIB}", "memory/cgroup.procs": ""}
    assert limits_of(tmp_path, "1:memory:/\n0::/box\n", files).memory_bytes == GIB


def test_where_the_group_is_not_told_the_roots_are_read(tmp_path):
    assert limits_of(tmp_path / "2", "", {"memory.max": "5"}).memory_bytes == 5
    assert limits_of(tmp_path / "1", "", {"memory/memory.limit_in_bytes": "6"}).memory_bytes == 6


def test_what_cannot_be_read_is_no_limit(tmp_path):
    assert read_limits(tmp_path / "no", tmp_path / "where") == Limits()
    group = tmp_path / "cgroup"
    (group / "memory.max").mkdir(parents=True)
    (group / "cpu.max").write_bytes(b"\xff\xfe 1")
    assert read_limits(tmp_path, group) == Limits()


@pytest.mark.parametrize("text", ["", "many", "100000", "100000 0", "0 100000", "-5 100000"])
def test_a_quota_without_sense_is_no_limit(tmp_path, text):
    assert limits_of(tmp_path, "0::/\n", {"cpu.max": text}).cores is None


def test_used_beyond_the_limit_leaves_nothing_free(tmp_path):
    found = limits_of(tmp_path, "0::/\n", {"memory.max": "10", "memory.current": "30"})
    assert found.free_bytes == 0
