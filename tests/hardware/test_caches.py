"""Caches from a planted folder, and from none."""

from __future__ import annotations

import pytest

from gpuedu.hardware.caches import Cache, find_caches
from gpuedu.units import KIB, MIB


def plant(system, cpu, index, **files):
    folder = system / f"cpu{cpu}" / "cache" / f"index{index}"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n", "utf-8")


def test_a_shared_cache_is_counted_once_and_instructions_are_left_out(tmp_path):
    for cpu in (0, 1):
        own, all_of_them = str(cpu), "0-1"
        plant(tmp_path, cpu, 0, level=1, type="Data", size="48K", shared_cpu_list=own)
        plant(tmp_path, cpu, 1, level=1, type="Instruction", size="64K", shared_cpu_list=own)
        plant(tmp_path, cpu, 2, level=2, type="Unified", size="2M", shared_cpu_list=own)
        plant(tmp_path, cpu, 3, level=3, type="Unified", size="32768K", shared_cpu_list=all_of_them)
    assert find_caches(tmp_path) == (
        Cache(1, 2, 96 * KIB),
        Cache(2, 2, 4 * MIB),
        Cache(3, 1, 32 * MIB),
    )


@pytest.mark.parametrize("size", ["", "many", "5X"])
def test_what_cannot_be_read_is_left_out(tmp_path, size):
    plant(tmp_path, 0, 0, level=1, type="Data", size=size, shared_cpu_list="0")
    plant(tmp_path, 0, 1, level=2)
    assert find_caches(tmp_path) == ()


def test_a_system_without_the_list_has_none_to_tell(tmp_path):
    assert find_caches(tmp_path / "nowhere") == ()
