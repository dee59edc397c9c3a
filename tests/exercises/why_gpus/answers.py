"""Reference answers of the lesson, and ways to hand them in with a part replaced."""

from __future__ import annotations

import math

from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def amdahl(p, n):
    return 1 / ((1 - p) + p / n)


def amdahl_limit(p):
    return math.inf if p == 1 else 1 / (1 - p)


def gustafson(p, n):
    return (1 - p) + p * n


def share_for(speedup, n):
    if not 1 <= speedup <= n:
        return math.nan
    if n == 1:
        return 1.0
    return (1 - 1 / speedup) / (1 - 1 / n)


CHAINS = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "log n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}


def linear_work(batch, inputs, outputs, itemsize):
    elements = batch * inputs + inputs * outputs + batch * outputs
    return 2 * batch * inputs * outputs, elements * itemsize


def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    pixels = batch * height * width
    weights = channels_in * channels_out * kernel * kernel
    elements = pixels * channels_in + weights + pixels * channels_out
    return 2 * pixels * weights, elements * itemsize


def intensity(flop, bytes):
    return flop / bytes


def training_flop(params, tokens):
    return 6 * params * tokens


def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return latency_s * bandwidth_bytes_per_s


def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return math.ceil(latency_s * bandwidth_bytes_per_s / bytes_per_thread)


def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)


def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    saved_s = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s
    return math.inf if saved_s <= 0 else math.floor(launch_s / saved_s) + 1


def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    saved_s = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s
    saved_s -= bytes_per_element / link_bytes_per_s
    return math.inf if saved_s <= 0 else math.floor(launch_s / saved_s) + 1


CORRECTED = {
    "h100_fp32_lanes": 132 * 128,
    "t4_fp32_lanes": 40 * 64,
    "training_bytes_354m": 354e6 * 16,
    "h100_dense_tflop_per_s": 1979 / 2,
    "gpus_to_hold_gpt3": 5,
    "busy_sms_percent": 100 / 132,
    "v5p_matrix_units": 8,
}

REFERENCE = {
    "amdahl": (amdahl, amdahl_limit, gustafson, share_for),
    "who-is-independent": (CHAINS,),
    "count-the-work": (linear_work, conv2d_work, intensity, training_flop),
    "littles-law": (bytes_in_flight, threads_needed, bandwidth_with),
    "break-even": (break_even, break_even_with_copies),
    "check-the-claim": (CORRECTED,),
}
"""The exercises that run in this process; parallel-cpu has its own module."""


def hand_in(exercise: str, seed: int = 0, **replaced) -> Report:
    """The verdict on the reference answers with those replaced that are named."""
    loaded = load(exercise)
    pairs = zip(loaded.play.answers, REFERENCE[exercise], strict=True)
    given = [replaced.pop(wanted.name, reference) for wanted, reference in pairs]
    assert not replaced, f"{exercise} has no answer called {', '.join(replaced)}"
    return examine(loaded, given, seed)


def lost(report: Report) -> list[str]:
    """Names of the properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, name: str):
    """The counterexample of a property."""
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found
