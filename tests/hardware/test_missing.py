"""What is missing, and the remedy that fits the driver."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from gpuedu.hardware.gpus import Gpu, Gpus
from gpuedu.hardware.machine import Machine
from gpuedu.hardware.missing import _CUPY, find_missing
from tests.hardware.planted import GIB

ALL = {"torch": "2.6.0", "numba-cuda": "0.20", "cupy-cuda12x": "13.4"}
CPU = Machine("a cpu", 2, 2, 1, 8 * GIB, 4 * GIB, None, "Linux", "3.11.9", Gpus(note="no driver"))


def with_gpu(cuda):
    return replace(CPU, gpus=Gpus((Gpu("NVIDIA L4", 24 * GIB, (8, 9)),), "550", cuda))


def whats(machine, packages=ALL):
    return [entry.what for entry in find_missing(machine, packages)]


def test_without_a_gpu_only_the_gpu_is_missing():
    (entry,) = find_missing(CPU, {"torch": "2.6.0+cpu"})
    assert entry.what == "an NVIDIA GPU"
    assert "Every exercise works" in entry.why and "recorded" in entry.why


def test_hidden_gpus_are_mended_by_showing_them():
    hidden = replace(CPU, gpus=Gpus(note="CUDA_VISIBLE_DEVICES hides 1 GPU"))
    assert find_missing(hidden, ALL)[0].how == "unset CUDA_VISIBLE_DEVICES"


def test_nothing_is_missing_with_a_gpu_and_all_packages():
    assert find_missing(with_gpu("12.4"), ALL) == ()


@pytest.mark.parametrize(("cuda", "major"), [("12.4", 12), ("13.0", 13), ("14.1", 13), ("", 12)])
def test_cupy_is_asked_for_by_the_drivers_cuda(cuda, major):
    found = find_missing(with_gpu(cuda), {"torch": "2.6.0"})
    assert [entry.what for entry in found] == ["CuPy", "numba-cuda"]
    wanted = f'pip install cupy-cuda{major}x "numba-cuda[cu{major}]"'
    assert {entry.how for entry in found} == {wanted}


def test_the_packages_named_are_those_of_the_extras(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    for extra, named in _CUPY.items():
        there = {Requirement(entry).name for entry in project["optional-dependencies"][extra]}
        assert {Requirement(part.strip('"')).name for part in named.split()} <= there


def test_an_old_driver_comes_before_packages():
    assert whats(with_gpu("11.8"), {"torch": "2.6.0"}) == [
        "a driver for CUDA 12 (this one: CUDA 11.8)"
    ]


def test_cupy_newer_than_the_driver():
    packages = {**ALL, "cupy-cuda13x": "13.6"}
    assert whats(with_gpu("12.4"), packages) == []
    del packages["cupy-cuda12x"]
    assert whats(with_gpu("12.4"), packages) == ["CuPy for CUDA 12.4"]
    assert whats(with_gpu("13.0"), packages) == []


def test_a_cpu_build_of_pytorch_matters_only_with_a_gpu():
    packages = {**ALL, "torch": "2.6.0+cpu"}
    assert whats(with_gpu("12.4"), packages) == ["PyTorch for CUDA"]
    assert whats(CPU, packages) == ["an NVIDIA GPU"]


def test_pytorch_is_needed_everywhere():
    assert whats(CPU, {}) == ["an NVIDIA GPU", "PyTorch"]


@pytest.mark.parametrize(
    ("memory", "limit", "told"),
    [(GIB, None, True), (64 * GIB, GIB, True), (2 * GIB, None, False), (None, None, False)],
)
def test_low_memory_is_told_by_what_may_be_used(memory, limit, told):
    machine = replace(CPU, memory_bytes=memory, memory_limit_bytes=limit)
    assert (f"memory: {GIB // GIB} GiB of 2 GiB" in whats(machine)) == told


def test_a_file_in_the_place_of_the_progress_folder(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "file" / "deep"))
    entry = find_missing(CPU, ALL)[-1]
    assert str(tmp_path) in entry.what and "GPUEDU_HOME" in entry.how


def test_a_folder_that_does_not_exist_yet_is_not_made(monkeypatch, tmp_path):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "not" / "yet"))
    assert whats(CPU) == ["an NVIDIA GPU"]
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_disk_is_told(monkeypatch):
    def refuse(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert "Read-only file system" in find_missing(CPU, ALL)[-1].why
