"""The machine's energy counters: found where they are, and None where nothing tells."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuedu.hardware.energy import find_counter


@pytest.fixture(autouse=True)
def _no_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)


def plant(folder: Path, energy: str = "12345", largest: str = "999") -> Path:
    zone = folder / "intel-rapl:0"
    zone.mkdir()
    (zone / "energy_uj").write_text(energy)
    (zone / "max_energy_range_uj").write_text(largest)
    (zone / "name").write_text("package-0\n")
    return zone


def test_the_cpus_counter_is_read_anew_each_time(tmp_path):
    zone = plant(tmp_path)
    counter = find_counter(tmp_path)
    assert (counter.read(), counter.wraps_at, counter.is_gpu) == (12345, 1000, False)
    assert "package-0" in counter.name
    (zone / "energy_uj").write_text("7")
    assert counter.read() == 7


@pytest.mark.parametrize("energy", ["", "much"])
def test_a_counter_that_cannot_be_read_is_none(tmp_path, energy):
    plant(tmp_path, energy)
    assert find_counter(tmp_path) is None


def test_a_machine_without_counters_has_none(tmp_path):
    assert find_counter(tmp_path / "nothing") is None


def test_the_gpus_counter_comes_first_and_is_in_microjoules(tmp_path, monkeypatch):
    plant(tmp_path)
    driver = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByIndex=lambda index: f"gpu {index}",
        nvmlDeviceGetTotalEnergyConsumption=lambda handle: 5 if handle == "gpu 0" else 0,
    )
    monkeypatch.setitem(sys.modules, "pynvml", driver)
    counter = find_counter(tmp_path)
    assert (counter.read(), counter.is_gpu) == (5000, True)
