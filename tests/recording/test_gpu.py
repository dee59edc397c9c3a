"""The real GPU's face, held against planted libraries; and what is missing without one."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu import backend
from gpuedu.recording import gpu as module
from gpuedu.recording.gpu import Gpu, NoGpuError, open_gpu, why_no_gpu


class Event:
    """An event that is done when the planted clock is where it was recorded."""

    def __init__(self, log):
        self.log = log

    def record(self):
        self.log.append("event")

    def synchronize(self):
        self.log.append("wait")


def plant(log, **attributes):
    """CuPy and numba.cuda of a GPU whose events are 6 ms apart."""

    class RawKernel:
        def __init__(self, code, name):
            self.name = name

        def __call__(self, grid, block, arguments):
            log.append((self.name, grid, block, *arguments))

    device = SimpleNamespace(id=0, attributes=attributes)
    pool = SimpleNamespace(free_all_blocks=lambda: log.append("free"))
    cuda = SimpleNamespace(
        Device=lambda: device,
        Event=lambda: Event(log),
        get_elapsed_time=lambda start, end: 6.0,
        runtime=SimpleNamespace(
            getDeviceProperties=lambda index: {"name": b"Planted GPU", "totalGlobalMem": 2**33},
            runtimeGetVersion=lambda: 12090,
        ),
    )
    cp = SimpleNamespace(
        cuda=cuda,
        RawKernel=RawKernel,
        __version__="14.2.0",
        get_default_memory_pool=lambda: pool,
        get_default_pinned_memory_pool=lambda: pool,
    )
    pending = SimpleNamespace(clear=lambda: log.append("clear"))
    numba = SimpleNamespace(
        synchronize=lambda: log.append("sync"),
        current_context=lambda: SimpleNamespace(deallocations=pending),
    )
    return numba, cp


def test_it_tells_what_the_device_is():
    found = Gpu(*plant([], L2CacheSize=2**22, ClockRate=1_500_000), None)
    assert (found.name, found.memory_bytes, found.l2_bytes) == ("Planted GPU", 2**33, 2**22)
    assert found.versions["cuda runtime"] == "12.9" and found.versions["cupy"] == "14.2.0"
    assert {"driver", "numba", "numba-cuda", "torch", "triton", "python", "gpuedu"} <= set(
        found.versions
    )


def test_a_time_is_between_two_events_behind_a_kernel_that_waits():
    log = []
    found = Gpu(*plant(log, ClockRate=2_000_000), None)
    assert found.time_s(lambda: log.append("run"), 3) == pytest.approx(2e-3)
    hold, *rest = log
    assert hold[:3] == ("hold", (1,), (1,)) and isinstance(hold[3], np.int64)
    assert rest == ["event", "run", "run", "run", "event", "wait"]
    # 50 µs, and half as much again as three launches of a tenth of a millisecond take.
    assert hold[3] == pytest.approx((5e-5 + 1.5 * 3e-4) * 2e9, rel=1e-6)


def test_the_wait_is_never_long():
    log = []
    found = Gpu(*plant(log, ClockRate=1_000_000), None)
    found.time_s(lambda: None, 10_000_000 // 1000)
    assert log[0][3] == pytest.approx(0.05e9)


def test_the_hosts_time_ends_when_the_device_has_finished():
    log = []
    found = Gpu(*plant(log), None)
    assert found.host_time_s(lambda: log.append("run"), 2) >= 0
    assert log == ["sync", "run", "run", "sync"]


def test_memory_is_given_back_and_the_device_is_kept_busy():
    log = []
    found = Gpu(*plant(log), None)
    found.free()
    found.wake()
    assert log[:3] == ["clear", "free", "free"] and log[3][0] == "hold" and log[4] == "sync"


@pytest.mark.parametrize("bus", ["0000:1B:00.0", b"0000:1B:00.0"])
def test_power_is_that_of_the_device_on_this_bus(monkeypatch, bus):
    asked = []
    monkeypatch.setattr(module, "open_meter", lambda bus: asked.append(("meter", bus)))
    monkeypatch.setattr(module, "capped", lambda bus, share: asked.append(("cap", bus, share)))
    numba, cp = plant([])
    cp.cuda.runtime.deviceGetPCIBusId = {0: bus}.__getitem__
    found = Gpu(numba, cp, None)
    found.power_meter()
    found.power_cap(0.8)
    assert asked == [("meter", "0000:1B:00.0"), ("cap", "0000:1B:00.0", 0.8)]


def test_a_rest_begins_when_the_device_has_finished(monkeypatch):
    log = []
    monkeypatch.setattr(module.time, "sleep", log.append)
    Gpu(*plant(log), None).rest(2.5)
    assert log == ["sync", 2.5]


def test_exact_products_are_numpys_where_there_is_no_pytorch():
    a = np.random.default_rng(1).random((3, 4), np.float32)
    found = Gpu(*plant([]), None)
    product = found.matmul_float64(a, a.T.copy())
    assert product.dtype == np.float64
    np.testing.assert_array_equal(product, a.astype(float) @ a.T.astype(float))


def test_exact_products_by_pytorch_are_the_same(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(Gpu, "torch_device", "cpu")
    a = np.random.default_rng(1).random((3, 4), np.float32)
    product = Gpu(*plant([]), torch).matmul_float64(a, a.T.copy())
    assert product.dtype == np.float64
    np.testing.assert_allclose(product, a.astype(float) @ a.T.astype(float), rtol=1e-14)


def _library_is_there(monkeypatch):
    monkeypatch.setattr(module.ctypes, "CDLL", lambda name: None)
    monkeypatch.setattr(module, "name_toolkit", lambda: None)


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"numba.cuda": None}, "numba.cuda cannot be used"),
        (
            {"numba.cuda": SimpleNamespace(is_available=lambda: False)},
            "numba.cuda cannot use a GPU",
        ),
        ({"cupy": None}, "cupy cannot be used"),
        ({"cupy": SimpleNamespace(is_available=lambda: False)}, "cupy cannot use a GPU"),
    ],
)
def test_what_is_missing_is_named(monkeypatch, modules, said):
    _library_is_there(monkeypatch)
    fine = SimpleNamespace(is_available=lambda: True)
    for name, planted in {"numba.cuda": fine, "cupy": fine, **modules}.items():
        monkeypatch.setitem(sys.modules, name, planted)
    missing, remedy = why_no_gpu()
    assert said in missing and remedy


def test_where_nothing_is_missing_nothing_is_said(monkeypatch):
    _library_is_there(monkeypatch)
    for name in ("numba.cuda", "cupy"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(is_available=lambda: True))
    assert why_no_gpu() == ("", "")


@pytest.mark.parametrize(("name", "value"), [("GPUEDU_TIER", "cpu"), ("NUMBA_ENABLE_CUDASIM", "1")])
def test_a_setting_that_hides_the_gpu_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(NoGpuError, match=name):
        open_gpu()


@pytest.mark.skipif(backend.has_gpu(), reason="there is a GPU here")
def test_a_machine_without_a_driver_is_told_so():
    missing, remedy = why_no_gpu()
    assert "NVIDIA driver" in missing or "cannot use a GPU" in missing
    assert remedy


def test_a_gpu_that_cannot_be_worked_with_is_told_in_a_line(monkeypatch):
    monkeypatch.setattr(module, "why_no_gpu", lambda: ("", ""))

    def refuse(*_):
        raise RuntimeError("CUDA_ERROR_NO_DEVICE:\nno CUDA-capable device is detected")

    monkeypatch.setattr(module, "Gpu", refuse)
    with pytest.raises(NoGpuError, match="CUDA_ERROR_NO_DEVICE: no CUDA-capable device"):
        open_gpu()
