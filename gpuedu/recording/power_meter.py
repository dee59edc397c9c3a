"""Power, clock and temperature as the driver reports them: by NVML, or else by ``nvidia-smi``."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from types import TracebackType
from typing import Any

from gpuedu.recording.bench import PowerReading, one_line
from gpuedu.recording.points import NotHereError

EVERY_S = 0.1
"""Seconds between readings. Drivers renew the power about that often, and on most GPUs since Ampere
it is the mean of the last second (NVML API Reference, nvmlDeviceGetPowerUsage)."""

_LIMIT_S = 10
_QUERY = "power.draw,clocks.sm,temperature.gpu"

Read = Callable[[], PowerReading]


@contextmanager
def open_meter(pci_bus_id: str) -> Iterator[Read]:
    """A function that reads a GPU's power.

    Raises:
        NotHereError: Neither way reports it; with both reasons.
    """
    reasons = []
    with ExitStack() as closing:
        for open_one in (_open_nvml, _open_program):
            try:
                read = open_one(pci_bus_id, closing)
                read()
            except Exception as fault:  # whatever a library raises, or a program that is not there
                reasons.append(one_line(fault))
            else:
                break
        else:
            raise NotHereError(f"the power drawn cannot be read ({'; '.join(reasons)})")
        yield read


def _open_nvml(pci_bus_id: str, closing: ExitStack) -> Read:
    nvml = import_module("pynvml")
    nvml.nvmlInit()
    closing.callback(_close_nvml, nvml)
    handle = nvml.nvmlDeviceGetHandleByPciBusId(pci_bus_id.encode())
    return lambda: PowerReading(
        nvml.nvmlDeviceGetPowerUsage(handle) / 1e3,
        _or_none(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
        _or_none(lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)),
    )


def _close_nvml(nvml: Any) -> None:
    with suppress(Exception):
        nvml.nvmlShutdown()


def _or_none(ask: Callable[[], float]) -> float | None:
    try:
        return float(ask())
    except Exception:  # a driver may refuse to tell this and tell the rest
        return None


def _open_program(pci_bus_id: str, closing: ExitStack) -> Read:
    def read() -> PowerReading:
        power_w, clock_mhz, temperature_c = query(pci_bus_id, _QUERY)
        if power_w is None:
            raise ValueError("nvidia-smi does not report the power")
        return PowerReading(power_w, clock_mhz, temperature_c)

    return read


def query(pci_bus_id: str, names: str) -> tuple[float | None, ...]:
    """Numbers that ``nvidia-smi`` reports for a GPU; None for what it does not know.

    Raises:
        OSError: There is no such program.
        subprocess.SubprocessError: It failed.
    """
    line = run_program("-i", pci_bus_id, f"--query-gpu={names}", "--format=csv,noheader,nounits")
    found = tuple(_or_none(lambda part=part: float(part)) for part in line.strip().split(","))
    if len(found) != len(names.split(",")):
        raise ValueError(f"nvidia-smi says {line.strip()!r}")
    return found


def run_program(*arguments: str) -> str:
    """What ``nvidia-smi`` writes."""
    return subprocess.run(
        ["nvidia-smi", *arguments],
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=True,
        errors="replace",
    ).stdout


class PowerWatch:
    """Reads in a thread while it is entered; ``readings`` are the results, at least one.

    Raises:
        NotHereError: On leaving, if no reading succeeded.
    """

    def __init__(self, read: Read, every_s: float = EVERY_S) -> None:
        self.readings: list[PowerReading] = []
        self._read, self._every_s = read, every_s
        self._fault = ""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="power", daemon=True)

    def __enter__(self) -> PowerWatch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        self._thread.join()
        if kind is None and not self.readings:
            raise NotHereError(f"the power drawn cannot be read ({self._fault})")

    def _go_on(self) -> None:
        while True:
            try:
                self.readings.append(self._read())
            except Exception as fault:  # one reading that fails is not the end of them
                self._fault = one_line(fault)
            if self._ending.wait(self._every_s):
                return
