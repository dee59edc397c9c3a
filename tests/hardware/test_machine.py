"""A machine from planted files, and from faults where there are none."""

from __future__ import annotations

import os

import psutil
import pytest

from gpuedu.hardware.machine import available_memory_bytes, look
from tests.hardware.planted import GIB, plant, with_library, without_library, without_program

MEMINFO = "MemTotal:       16777216 kB\nMemFree: 12 kB\nMemAvailable:    8388608 kB\n"


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    without_library(monkeypatch)
    without_program(monkeypatch, tmp_path / "bin")


def broken(*_, **__):
    raise RuntimeError("psutil is broken")


def here(tmp_path, proc=None, cgroup=None):
    return look(plant(tmp_path / "proc", proc or {}), plant(tmp_path / "cgroup", cgroup or {}))


def test_the_processor_and_memory_are_read(tmp_path):
    cpuinfo = "processor\t: 0\nmodel name\t: AMD  EPYC 7B12\nprocessor\t: 1\n"
    machine = here(tmp_path, {"cpuinfo": cpuinfo, "meminfo": MEMINFO})
    assert machine.cpu == "AMD EPYC 7B12"
    assert (machine.memory_bytes, machine.available_bytes) == (16 * GIB, 8 * GIB)
    assert machine.memory_limit_bytes is None
    assert machine.usable_memory_bytes == 16 * GIB


def test_a_container_takes_from_memory_and_cores(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    cgroup = {"memory.max": f"{2 * GIB}", "memory.current": f"{GIB}", "cpu.max": "150000 100000"}
    machine = here(tmp_path, {"self/cgroup": "0::/", "meminfo": MEMINFO}, cgroup)
    assert (machine.cores, machine.logical_cores) == (1.5, 64)
    assert machine.usable_memory_bytes == machine.memory_limit_bytes == 2 * GIB
    assert machine.available_bytes == GIB
    assert available_memory_bytes(tmp_path / "proc", tmp_path / "cgroup") == GIB


def test_affinity_counts_where_the_container_gives_more(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 9}, raising=False)
    assert here(tmp_path, cgroup={"cpu.max": "1600000 100000"}).cores == 3


def test_a_limit_above_the_machines_memory_is_none(tmp_path):
    machine = here(tmp_path, {"meminfo": MEMINFO}, {"memory.max": f"{64 * GIB}"})
    assert machine.memory_limit_bytes is None
    assert machine.usable_memory_bytes == 16 * GIB


def test_psutil_stands_in_for_the_kernels_files(tmp_path):
    machine = look(tmp_path / "absent", tmp_path / "absent")
    assert machine.memory_bytes == psutil.virtual_memory().total
    assert machine.cpu


@pytest.mark.parametrize("meminfo", [None, "MemTotal:\n", "MemTotal: many kB\n"])
def test_nothing_known_raises_nothing(tmp_path, monkeypatch, meminfo):
    for name in ("virtual_memory", "cpu_count"):
        monkeypatch.setattr(psutil, name, broken)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    machine = here(tmp_path, {"meminfo": meminfo} if meminfo else {})
    assert machine.cores == 1
    assert machine.physical_cores is machine.logical_cores is None
    assert machine.memory_bytes is machine.available_bytes is machine.usable_memory_bytes is None
    assert machine.tier == "cpu"


def test_unreadable_files_raise_nothing(tmp_path):
    proc = tmp_path / "proc"
    for name in ("cpuinfo", "meminfo", "self/cgroup"):
        (proc / name).mkdir(parents=True)
    assert look(proc, tmp_path / "none").memory_bytes == psutil.virtual_memory().total


@pytest.mark.parametrize(("count", "tier"), [(0, "cpu"), (1, "gpu"), (2, "multi"), (8, "multi")])
def test_the_tier_follows_from_the_gpus(tmp_path, monkeypatch, count, tier):
    with_library(monkeypatch, ["NVIDIA H200"] * count)
    assert here(tmp_path).tier == tier
