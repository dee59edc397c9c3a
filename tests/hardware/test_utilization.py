"""Utilization from a planted management library, and where there is none."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

import pytest

from gpuedu.hardware.utilization import Utilization, UtilizationWatch
from tests.hardware.planted import with_library, without_library, without_program


@pytest.fixture
def _no_choice(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def plant_rates(monkeypatch, rates, *, ended=None, names=("A", "B")):
    """A library with these (gpu, memory) percentages, then the last again; tells when all were asked.

    Returns the event and the list of GPUs that were asked.
    """
    with_library(monkeypatch, list(names), ended=ended)
    left, asked, all_asked = list(rates), [], threading.Event()

    def tell(handle):
        asked.append(handle)
        one = left.pop(0) if len(left) > 1 else left[0]
        if len(left) == 1:
            all_asked.set()
        if isinstance(one, Exception):
            raise one
        return SimpleNamespace(gpu=one[0], memory=one[1])

    library = sys.modules["pynvml"]
    library.nvmlDeviceGetUtilizationRates = tell
    library.nvmlDeviceGetHandleByUUID = lambda uuid: uuid
    return all_asked, asked


def test_samples_are_shares_in_the_order_of_time(monkeypatch, _no_choice):
    all_asked, asked = plant_rates(monkeypatch, [(100, 40), (50, 20), (0, 0)])
    with UtilizationWatch(every_s=0.001) as watch:
        assert all_asked.wait(20)
    assert [(one.gpu, one.memory) for one in watch.samples[:3]] == [(1.0, 0.4), (0.5, 0.2), (0, 0)]
    times = [one.time_s for one in watch.samples]
    assert times == sorted(times)
    assert times[0] >= 0
    assert set(asked) == {"GPU-0abc"}
    assert watch.note == ""


def test_the_mean_is_that_of_the_samples():
    watch = UtilizationWatch()
    watch.samples = (Utilization(0.1, 1.0, 0.4), Utilization(0.2, 0.5, 0.0))
    assert watch.mean == Utilization(0.2, 0.75, 0.2)


def test_a_block_of_no_length_is_sampled_at_its_start_and_its_end(monkeypatch, _no_choice):
    plant_rates(monkeypatch, [(30, 10)])
    with UtilizationWatch(every_s=1000.0) as watch:
        pass
    assert len(watch.samples) == 2
    assert watch.mean.gpu == 0.3


def test_a_chosen_gpu_is_asked(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    _, asked = plant_rates(monkeypatch, [(1, 1)])
    with UtilizationWatch(gpu=0):
        pass
    assert set(asked) == {"GPU-1abc"}


def test_the_watch_ends_with_a_block_that_raises_and_can_be_used_again(monkeypatch, _no_choice):
    ended = []
    plant_rates(monkeypatch, [(30, 10)], ended=ended)
    watch = UtilizationWatch()
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), watch:
        raise KeyboardInterrupt
    assert threading.active_count() == before
    assert watch.samples
    with watch:
        pass
    assert len(watch.samples) >= 2  # at its start and its end; more on a machine that is busy
    # find_gpus opens and closes the library too.
    assert len(ended) == 4


def test_without_a_gpu_the_block_runs_and_the_note_says_why(monkeypatch, tmp_path, _no_choice):
    without_library(monkeypatch)
    without_program(monkeypatch, tmp_path / "none")
    ran = []
    with UtilizationWatch() as watch:
        ran.append(True)
    assert ran
    assert watch.samples == ()
    assert watch.mean is None
    assert "no GPU 0 here" in watch.note
    assert "NVML Shared Library Not Found" in watch.note


def test_a_gpu_beyond_those_here_is_said(monkeypatch, _no_choice):
    plant_rates(monkeypatch, [(1, 1)])
    with UtilizationWatch(gpu=2) as watch:
        pass
    assert watch.note == "no GPU 2 here: 2 in all"


def test_a_gpu_that_does_not_tell_is_said(monkeypatch, _no_choice):
    plant_rates(monkeypatch, [RuntimeError("Not Supported")])
    with UtilizationWatch() as watch:
        pass
    assert watch.mean is None
    assert watch.note == "this GPU does not report its utilization: Not Supported"
