"""GPUs from a planted library, from a planted program, and the lack of both."""

from __future__ import annotations

import sys

import pytest

from gpuedu.hardware.gpus import Gpu, Gpus, find_gpus, visible
from tests.hardware.planted import GIB, with_library, with_program, without_library, without_program

TWO = ("Tesla T4, 15360, 7.5, 550.54.15, GPU-aa", "NVIDIA L4, 23034, 8.9, 550.54.15, GPU-bb")


@pytest.fixture(autouse=True)
def _nothing_hidden(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_the_library_tells_all(monkeypatch):
    ended = []
    with_library(monkeypatch, [b"NVIDIA H200"], cuda=13010, ended=ended)
    found = find_gpus()
    assert found == Gpus(
        (Gpu("NVIDIA H200", 80 * GIB, (9, 0), "GPU-0abc"),), "550.54.15", "13.1", ""
    )
    assert ended == [True]


def test_a_gpu_that_does_not_tell_its_memory_is_still_one(monkeypatch):
    with_library(monkeypatch, ["NVIDIA GB10"], memory=None)
    assert find_gpus().found[0].memory_bytes is None


def test_a_driver_without_a_gpu(monkeypatch):
    with_library(monkeypatch, [])
    found = find_gpus()
    assert found.found == () and "no GPU" in found.note and found.driver == "550.54.15"


def test_the_program_is_asked_where_the_library_fails(monkeypatch, tmp_path):
    without_library(monkeypatch)
    with_program(monkeypatch, tmp_path / "bin", TWO)
    found = find_gpus()
    assert [gpu.name for gpu in found.found] == ["Tesla T4", "NVIDIA L4"]
    assert found.found[0].memory_bytes == 15360 * 2**20
    assert found.found[1].compute_capability == (8, 9)
    assert (found.driver, found.cuda, found.cuda_major) == ("550.54.15", "12.4", 12)


def test_the_program_is_asked_where_the_library_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with_program(monkeypatch, tmp_path / "bin", TWO[:1])
    assert len(find_gpus().found) == 1


def test_the_program_may_not_know_everything(monkeypatch, tmp_path):
    without_library(monkeypatch)
    with_program(monkeypatch, tmp_path / "bin", ["NVIDIA GB10, [N/A], [N/A], 580.1, [N/A]"])
    assert find_gpus().found == (Gpu("NVIDIA GB10", None, None, "[N/A]"),)


def test_no_library_and_no_program(monkeypatch, tmp_path):
    without_library(monkeypatch)
    without_program(monkeypatch, tmp_path / "bin")
    assert find_gpus() == Gpus(note="no NVIDIA driver (NVML Shared Library Not Found)")


@pytest.mark.parametrize(
    "script", ["exit 9", "echo not a table", "printf '\\377\\376'", "kill -9 $$"]
)
def test_a_broken_program_is_no_gpu_and_says_why(monkeypatch, tmp_path, script):
    without_library(monkeypatch)
    with_program(monkeypatch, tmp_path / "bin", script=script)
    found = find_gpus()
    assert found.found == ()
    assert "nvidia-smi" in found.note and "NVML Shared Library Not Found" in found.note


def test_a_program_that_lists_nothing(monkeypatch, tmp_path):
    without_library(monkeypatch)
    with_program(monkeypatch, tmp_path / "bin")
    assert find_gpus() == Gpus(note="nvidia-smi lists no GPU")


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (None, "ABC"),
        ("0,2", "AC"),
        ("2,0,2", "CA"),
        ("1,7,0", "B"),
        ("-1", ""),
        ("", ""),
        ("GPU-b", "B"),
        ("GPU-", ""),
        ("MIG-1234", "A"),
    ],
)
def test_hidden_gpus_are_left_out_as_cuda_does(chosen, names):
    three = Gpus(tuple(Gpu(name, GIB, (8, 0), f"GPU-{name.lower()}") for name in "ABC"))
    kept = visible(three, chosen)
    assert "".join(gpu.name for gpu in kept.found) == names
    assert bool(kept.note) == (len(names) < 3)


def test_the_environment_hides_gpus(monkeypatch):
    with_library(monkeypatch, ["A", "B"])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    found = find_gpus()
    assert [gpu.name for gpu in found.found] == ["B"]
    assert found.note == "CUDA_VISIBLE_DEVICES hides 1 GPU"
