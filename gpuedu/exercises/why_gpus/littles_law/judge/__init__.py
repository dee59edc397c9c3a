"""littles-law: bytes in flight, and the threads that keep them there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import arguments_of, call_text, right_result


def in_flight(latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Bytes that are on their way at any time."""
    return latency_s * bandwidth_bytes_per_s


def exact_threads(
    latency_s: float, bandwidth_bytes_per_s: float, bytes_per_thread: int
) -> Fraction:
    """Threads, not yet whole; decimals are taken at their word, as somebody on paper does.

    >>> exact_threads(526e-9, 5390e9, 4)
    Fraction(708785, 1)
    """
    in_flight_bytes = Fraction(repr(latency_s)) * Fraction(repr(bandwidth_bytes_per_s))
    return in_flight_bytes / bytes_per_thread


def reached(
    threads: int, bytes_per_thread: int, latency_s: float, peak_bytes_per_s: float
) -> float:
    """Bandwidth of so many threads, each with its bytes on their way."""
    return min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)


def cases(rng: np.random.Generator) -> list[Case]:
    """From a CPU to a large GPU; divisions that come out even; too few threads, and too many."""
    drawn = [_bytes(*_memory(rng)) for _ in range(4)]
    for each in (4, 16, 8):
        drawn.append(_threads(*_memory(rng), each))
    # Powers of two divide without rounding, so that one byte more is one thread more.
    even, rate = 2.0**-21, float(2 ** int(rng.integers(36, 42)))
    drawn += [_threads(even, rate, 4), _threads(even, rate + 2.0**21, 4)]
    # An odd number of threads, which `round` of a half would leave; and 2**-16 of a thread more.
    odd = (2 * int(rng.integers(1000, 20000)) + 1) * 2.0**23
    drawn += [_threads(even, odd, 4), _threads(even, odd + 2.0**7, 4)]
    for load in (0.0, 0.001, 0.4, 1.7, 30.0):
        latency_s, peak = _memory(rng)
        each = int(rng.choice([1, 4, 16]))
        drawn.append(_reached(int(load * latency_s * peak / each), each, latency_s, peak))
    # Fewer threads than a warp has, since each brings much.
    drawn.append(_threads(float(f"{rng.uniform(80, 120):.0f}e-9"), 2.03e10, 256))
    return drawn


def _memory(rng: np.random.Generator) -> tuple[float, float]:
    """A latency from 80 ns to 900 ns, and from 20 GB/s to 8 TB/s."""
    latency_s = float(f"{rng.uniform(80, 900):.0f}e-9")
    return latency_s, float(f"{10 ** rng.uniform(10.3, 12.9):.3g}")


def _bytes(latency_s: float, rate: float) -> Case:
    label = f"a latency of {latency_s * 1e9:.4g} ns at {rate / 1e9:.4g} GB/s"
    inputs = {"latency_s": latency_s, "bandwidth_bytes_per_s": rate}
    return Case(label, {"call": "bytes_in_flight", **inputs}, ("bytes",))


def _threads(latency_s: float, rate: float, each: int) -> Case:
    label = f"{latency_s * 1e9:.4g} ns, {rate / 1e9:.4g} GB/s, {each} bytes a thread"
    inputs = {
        "latency_s": latency_s,
        "bandwidth_bytes_per_s": rate,
        "bytes_per_thread": each,
    }
    return Case(label, {"call": "threads_needed", **inputs}, ("threads",))


def _reached(threads: int, each: int, latency_s: float, peak: float) -> Case:
    plural = "" if each == 1 else "s"
    label = f"{threads} threads with {each} byte{plural} each, {latency_s * 1e9:.4g} ns"
    inputs = {
        "threads": threads,
        "bytes_per_thread": each,
        "latency_s": latency_s,
        "peak_bytes_per_s": peak,
    }
    return Case(label, {"call": "bandwidth_with", **inputs}, ("bandwidth",))


def thread_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    """Rounded up; a quotient that floating point cannot tell from a whole number may go either way.

    Where the numbers as the computer holds them divide evenly, no rounding excuses one more.
    """
    got, given = observed["result"], arguments_of(case)
    quotient = exact_threads(**given)
    latency_s, rate, each = given.values()
    is_free_of_rounding = (Fraction(latency_s) * Fraction(rate) / each).denominator == 1
    blur = Fraction(0) if is_free_of_rounding else quotient / 10**12
    fewest, most = math.ceil(quotient - blur), math.ceil(quotient + blur)
    if not (fewest <= got <= most and got == int(got)):
        said = f"`{call_text(case)}` gave {got:.12g} {'thread' if got == 1 else 'threads'}"
        yield Fault("threads", f"{said}, expected {math.ceil(quotient)}")


_PREDICTED = math.ceil(Fraction(500, 10**9) * 3350 * 10**9 / 16)

JUDGE = Judge(
    title="How many threads fill a device?",
    properties=(
        right_result(
            "bytes",
            "`bytes_in_flight`: bytes on their way at any time",
            1,
            {"bytes_in_flight": in_flight},
            unit="bytes",
            asks="A byte that is asked for now arrives one latency later. How many bytes does the "
            "memory deliver in that time?",
        ),
        Property(
            "threads",
            "`threads_needed`: the fewest threads, a whole number",
            1,
            "Do that many threads hold all the bytes in flight, and would one thread fewer not "
            "hold them?",
            thread_faults,
        ),
        right_result(
            "bandwidth",
            "`bandwidth_with`: what threads reach, up to the peak",
            1,
            {"bandwidth_with": reached},
            unit="B/s",
            asks="How many bytes do the threads hold together, in what time do those arrive, and "
            "what can the memory deliver at most?",
        ),
    ),
    hints=(
        "A byte asked for now arrives one latency later. How many bytes have you asked for in the "
        "meantime, if memory delivers at its full rate?",
        "Bytes in flight are latency times bandwidth. Each thread holds `bytes_per_thread` of "
        "them. The other way around: what threads hold, divided by the latency, is what arrives in "
        "a second, as long as the memory can keep up.",
        "`math.ceil(latency_s * bandwidth_bytes_per_s / bytes_per_thread)`, and "
        "`min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)`.",
    ),
    cases=cases,
    predictions={
        "littles-law": Prediction(
            "memory of 3,350 GB/s answers after 500 ns, as on an H100-class device. How many "
            "threads must wait for it at once, each for 16 bytes, to keep it busy?",
            truth=float(_PREDICTED),
            unit="threads",
            because="500 ns at 3,350 GB/s put 1.675 MB on their way. The device has room for "
            "132 SMs of 2,048 threads, 270,336. With 4 bytes each, 418,750 would be needed: more "
            "than there is room for.",
        )
    },
)
