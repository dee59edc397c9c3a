"""cost-and-energy: the joules of matrix products on this machine, where it counts them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.choose_hardware.catalog_pictures import best_16_bit
from gpuedu.exercises.plain import number
from gpuedu.hardware.catalog import device
from gpuedu.hardware.energy import EnergyCounter, find_counter
from gpuedu.units import TERA

_SIDE, _ON_GPU = 1024, 8192
_IDLE_S, _BUSY_S, _EVERY_S = 0.5, 2.0, 0.1
_INSTEAD = ("xeon-8480", "h100-sxm")
Answer = Callable[..., Any]


def measure_energy(energy_j: Answer, joules_each: Answer) -> dict[str, Any]:
    """Joules for each TFLOP of a product, by the machine's counter and the learner's functions.

    Returns:
        ``what``, ``idle_w``, ``busy_w`` and ``joules_per_tflop``; without a counter, what data
        sheets give for a CPU and a GPU, and why.
    """
    counter = find_counter()
    if counter is None:
        return {"what": "this machine shows no energy counter; by data sheets, at the peak"} | {
            one.name: round(number(joules_each(one.power_w, 0.0, 1.0, best_16_bit(one) / TERA)), 3)
            for one in map(device, _INSTEAD)
        }
    multiply, flop, finish = _gpu_product() if counter.is_gpu else _cpu_product()
    multiply()
    finish()
    idle_j, idle_s, _ = _watched(counter, lambda: time.sleep(_EVERY_S), finish, _IDLE_S, energy_j)
    busy_j, busy_s, times = _watched(counter, multiply, finish, _BUSY_S, energy_j)
    idle_w = idle_j / idle_s
    each = number(joules_each(busy_j, idle_w, busy_s, times * flop / TERA))
    return {
        "what": f"float32 products of {_ON_GPU if counter.is_gpu else _SIDE} on {counter.name}",
        "idle_w": round(idle_w, 1),
        "busy_w": round(busy_j / busy_s, 1),
        "joules_per_tflop": round(float(each), 3),
    }


def _cpu_product() -> tuple[Callable[[], Any], float, Callable[[], Any]]:
    a = np.ones((_SIDE, _SIDE), np.float32)
    return lambda: a @ a, 2.0 * _SIDE**3, lambda: None


def _gpu_product() -> tuple[Callable[[], Any], float, Callable[[], Any]]:
    import torch

    a = torch.ones(_ON_GPU, _ON_GPU, device="cuda")
    return lambda: a @ a, 2.0 * _ON_GPU**3, torch.cuda.synchronize


def _watched(
    counter: EnergyCounter,
    work: Callable[[], Any],
    finish: Callable[[], Any],
    budget_s: float,
    energy_j: Answer,
) -> tuple[float, float, int]:
    """Joules, seconds and how many times, with readings often enough for a counter that wraps."""
    readings, start_s, times = [counter.read()], time.perf_counter(), 0
    while time.perf_counter() - start_s < budget_s:
        work()
        times += 1
        finish()
        readings.append(counter.read())
    spent_s = time.perf_counter() - start_s
    return float(number(energy_j(readings, counter.wraps_at))), spent_s, times


MEASURE = measure_energy
