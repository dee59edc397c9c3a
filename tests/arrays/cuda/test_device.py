from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp


def test_the_one_device():
    device = cp.cuda.Device()
    assert device == cp.cuda.Device(0) == cp.cuda.Device(device) and int(device) == 0
    assert {device} == {cp.cuda.Device(0)} and repr(device) == "<CUDA Device 0>"
    with device as same:
        same.synchronize()
        assert cp.cuda.get_device_id() == cp.cuda.runtime.getDevice() == 0
    assert device.pci_bus_id.startswith("0000") and cp.cuda.is_available()


def test_its_limits_have_cudas_names():
    attributes = cp.cuda.Device().attributes
    assert attributes["MaxThreadsPerBlock"] == 1024 and attributes["WarpSize"] == 32
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["multiProcessorCount"] == attributes["MultiProcessorCount"]
    assert b"SIMT" in properties["name"]


def test_attributes_are_names_that_cupy_has():
    runtime = pytest.importorskip("cupy").cuda.runtime
    for name in cp.cuda.Device().attributes:
        assert hasattr(runtime, f"cudaDevAttr{name}"), name


@pytest.mark.parametrize(
    "ask",
    [
        lambda: cp.cuda.Device(1).use(),
        lambda: cp.cuda.Device(2).synchronize(),
        lambda: cp.cuda.Device(1).mem_info,
        lambda: cp.cuda.runtime.setDevice(1),
        lambda: cp.cuda.runtime.getDeviceProperties(3),
    ],
)
def test_other_devices_are_not_there(ask):
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidDevice"):
        ask()


def test_the_runtime():
    runtime = cp.cuda.runtime
    assert runtime.getDeviceCount() == 1 and not runtime.is_hip
    runtime.setDevice(0)
    runtime.deviceSynchronize()
    runtime.streamSynchronize(0)
    with pytest.raises(NotImplementedError, match=r"cupy\.cuda\.runtime\.mallocManaged"):
        runtime.mallocManaged(3)
