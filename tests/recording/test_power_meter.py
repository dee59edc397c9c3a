"""Power is read by NVML, else by nvidia-smi; in a thread while something else runs."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

import pytest

from gpuedu.recording.bench import PowerReading
from gpuedu.recording.points import NotHereError
from gpuedu.recording.power_meter import PowerWatch, open_meter
from tests.recording.smi import BUS, Planted


def refuse(*given):
    raise RuntimeError("Not Supported")


def nvml(log, **instead):
    """A planted pynvml that tells milliwatts; ``instead`` replaces some of its functions."""

    def asked(name, answer):
        return lambda *given: log.append((name, *given)) or answer

    told = {
        "nvmlInit": None,
        "nvmlShutdown": None,
        "nvmlDeviceGetHandleByPciBusId": "handle",
        "nvmlDeviceGetPowerUsage": 412_250,
        "nvmlDeviceGetClockInfo": 1755,
        "nvmlDeviceGetTemperature": 48,
    }
    functions = {name: asked(name, answer) for name, answer in told.items()}
    return SimpleNamespace(NVML_CLOCK_SM=1, NVML_TEMPERATURE_GPU=0, **{**functions, **instead})


def test_nvml_tells_watts_and_is_closed(monkeypatch):
    log = []
    monkeypatch.setitem(sys.modules, "pynvml", nvml(log))
    with open_meter(BUS) as read:
        assert log[:2] == [("nvmlInit",), ("nvmlDeviceGetHandleByPciBusId", BUS.encode())]
        log.clear()
        assert read() == PowerReading(412.25, 1755.0, 48.0)
        assert log == [
            ("nvmlDeviceGetPowerUsage", "handle"),
            ("nvmlDeviceGetClockInfo", "handle", 1),
            ("nvmlDeviceGetTemperature", "handle", 0),
        ]
    assert log[-1] == ("nvmlShutdown",)


def test_what_a_driver_refuses_is_missing_and_the_rest_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", nvml([], nvmlDeviceGetTemperature=refuse))
    with open_meter(BUS) as read:
        assert read() == PowerReading(412.25, 1755.0, None)


@pytest.mark.parametrize("refuses", [False, True])
def test_without_nvml_or_where_it_refuses_the_program_is_asked(tmp_path, monkeypatch, refuses):
    library = nvml([], nvmlDeviceGetPowerUsage=refuse) if refuses else None
    monkeypatch.setitem(sys.modules, "pynvml", library)
    planted = Planted(tmp_path, monkeypatch)
    with open_meter(BUS) as read:
        assert read() == PowerReading(321.5, 1410.0, 55.0)
        planted.change(temperature="[N/A]")
        assert read() == PowerReading(321.5, 1410.0, None)


def test_where_nothing_tells_it_both_reasons_are_given(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    Planted(tmp_path, monkeypatch, draw="[N/A]")
    with pytest.raises(NotHereError, match=r"pynvml.*nvidia-smi does not report the power"):
        open_meter(BUS).__enter__()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotHereError, match=r"pynvml.*FileNotFoundError"):
        open_meter(BUS).__enter__()


def test_a_watch_reads_while_it_is_entered_and_not_after():
    third = threading.Event()
    count = []

    def read():
        count.append(1)
        if len(count) == 3:
            third.set()
        return PowerReading(float(len(count)))

    with PowerWatch(read, every_s=0.001) as watch:
        assert third.wait(30)
    told = len(watch.readings)
    assert [reading.power_w for reading in watch.readings[:3]] == [1.0, 2.0, 3.0]
    assert not [t for t in threading.enumerate() if t.name == "power"]
    assert len(watch.readings) == told


def test_a_short_watch_has_one_reading():
    with PowerWatch(lambda: PowerReading(7.0), every_s=60) as watch:
        pass
    assert watch.readings == [PowerReading(7.0)]


def test_a_watch_without_a_reading_says_why():
    def read():
        raise OSError("gone")

    with (
        pytest.raises(NotHereError, match="gone"),
        PowerWatch(read, every_s=60),
    ):
        pass


def test_a_fault_inside_a_watch_is_that_fault():
    with pytest.raises(ZeroDivisionError), PowerWatch(lambda: 1 / 0, every_s=60):
        raise ZeroDivisionError("mine")
