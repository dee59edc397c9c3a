"""littles-law: bytes in flight, and the threads that keep them there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.why_gpus.judge.spelling import exact


def in_flight(latency_s: float, rate: float) -> float:
    """Bytes that are on their way at any time."""
    return latency_s * rate


def exact_threads(latency_s: float, rate: float, each: int) -> Fraction:
    """Threads, not yet whole; decimals are taken at their word, as somebody on paper does.

    >>> exact_threads(526e-9, 5390e9, 4)
    Fraction(708785, 1)
    """
    return Fraction(repr(latency_s)) * Fraction(repr(rate)) / each


def reached(threads: int, each: int, latency_s: float, peak: float) -> float:
    """Bandwidth of so many threads, each with ``each`` bytes on their way."""
    return min(threads * each / latency_s, peak)


_BYTES = (
    Misconception(
        lambda latency_s, rate: rate / latency_s,
        "That divides. In twice the latency, do fewer or more bytes leave the memory?",
    ),
    Misconception(
        lambda latency_s, rate: latency_s * rate / 1e9,
        "That is 1e9 times too small: is it in GB? The answer is in bytes.",
    ),
    Misconception(
        lambda latency_s, rate: latency_s * rate * 8,
        "That is in bits. The answer is in bytes.",
    ),
    Misconception(
        lambda latency_s, rate: 2 * latency_s * rate,
        "That counts the latency twice. From the request to the answer: which ways are in it?",
    ),
    Misconception(
        lambda latency_s, rate: latency_s * rate / 2,
        "That is half of it. If memory delivers without a pause, when is only half under way?",
    ),
)
_THREADS = (
    Misconception(
        lambda latency_s, rate, each: math.ceil(latency_s * rate),
        "That is one byte for each thread. How many does a thread have on their way?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(latency_s * rate * each),
        "That multiplies by the bytes of a thread. If each carries more, are more threads needed?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.floor(latency_s * rate / each),
        "That is rounded down, or to the nearest: some bytes are left without a thread.",
    ),
    Misconception(
        lambda latency_s, rate, each: math.floor(latency_s * rate / each) + 1,
        "That adds a thread where the division comes out even, too. How is a number rounded up?",
    ),
    Misconception(
        lambda latency_s, rate, each: 32 * math.ceil(latency_s * rate / each / 32),
        "That is rounded up to whole warps. The question is for threads.",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(latency_s * rate / each / 32),
        "That counts warps. How many threads are in one?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(2 * latency_s * rate / each),
        "That is for twice the bytes in flight: the latency counts once.",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(latency_s * rate / 2 / each),
        "That is for half of the bytes in flight. When is only half under way?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(8 * latency_s * rate / each),
        "That counts bits. How many bytes are in flight?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(rate / latency_s / each),
        "That divides by the latency. In twice the latency, are fewer or more bytes in flight?",
    ),
    Misconception(
        lambda latency_s, rate, each: math.ceil(rate / each),
        "That is for one second. How long does a thread wait for its bytes?",
    ),
)
_REACHED = (
    Misconception(
        lambda threads, each, latency_s, peak: threads * each / latency_s,
        "That has no ceiling. What can the memory deliver at most?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: peak,
        "That is the peak. Two limits count, the memory's and the threads': is it the larger or "
        "the smaller one that holds?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: max(threads * each / latency_s, peak),
        "That takes the larger of the two. Which of them limits?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: min(threads * each * latency_s, peak),
        "That multiplies by the latency. If each answer takes longer, do more bytes arrive in a "
        "second?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: min(threads / latency_s, peak),
        "That counts requests. How many bytes does each bring?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: min(threads * each, peak),
        "That is bytes, not bytes per second. In what time do they arrive?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: threads * each,
        "That is bytes, not bytes per second. In what time do they arrive?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: min(threads / each / latency_s, peak),
        "That divides by the bytes of a thread. If each carries more, does less arrive?",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: threads * each / latency_s / peak,
        "That is a share of the peak. The answer is in bytes per second.",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: min(threads * each / latency_s / peak, 1),
        "That is a share of the peak. The answer is in bytes per second.",
    ),
    Misconception(
        lambda threads, each, latency_s, peak: 0.0,
        "That is nothing at all. The bytes that the threads wait for do arrive: after what time?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """From a CPU to a large GPU; divisions that come out even; too few threads, and too many."""
    drawn = [_bytes(*_memory(rng)) for _ in range(4)]
    for each in (4, 16, 8):
        drawn.append(_threads(*_memory(rng), each))
    # Powers of two divide without rounding, so that one byte more is one thread more.
    even, rate = 2.0**-21, float(2 ** int(rng.integers(36, 42)))
    drawn += [_threads(even, rate, 4), _threads(even, rate + 2.0**21, 4)]
    # An odd number of threads, which `round` of a half would leave; and a 2000th of a thread more.
    odd = (2 * int(rng.integers(1000, 20000)) + 1) * 2.0**23
    drawn += [_threads(even, odd, 4), _threads(even, odd + 2.0**12, 4)]
    for load in (0.0, 0.001, 0.4, 1.7, 30.0):
        latency_s, peak = _memory(rng)
        each = int(rng.choice([1, 4, 16]))
        drawn.append(_reached(int(load * latency_s * peak / each), each, latency_s, peak))
    return drawn


def _memory(rng: np.random.Generator) -> tuple[float, float]:
    """A latency from 80 ns to 900 ns, and from 20 GB/s to 8 TB/s."""
    latency_s = float(f"{rng.uniform(80, 900):.0f}e-9")
    return latency_s, float(f"{10 ** rng.uniform(10.3, 12.9):.3g}")


def _bytes(latency_s: float, rate: float) -> Case:
    label = f"a latency of {latency_s * 1e9:.4g} ns at {rate / 1e9:.4g} GB/s"
    return Case(label, {"ask": "bytes", **_memory_inputs(latency_s, rate)}, ("bytes",))


def _threads(latency_s: float, rate: float, each: int) -> Case:
    label = f"{latency_s * 1e9:.4g} ns, {rate / 1e9:.4g} GB/s, {each} bytes a thread"
    inputs = {"ask": "threads", **_memory_inputs(latency_s, rate), "bytes_per_thread": each}
    return Case(label, inputs, ("threads",))


def _reached(threads: int, each: int, latency_s: float, peak: float) -> Case:
    plural = "" if each == 1 else "s"
    label = f"{threads} threads with {each} byte{plural} each, {latency_s * 1e9:.4g} ns"
    inputs = {**_memory_inputs(latency_s, peak), "bytes_per_thread": each, "threads": threads}
    return Case(label, {"ask": "bandwidth", **inputs}, ("bandwidth",))


def _memory_inputs(latency_s: float, rate: float) -> dict[str, float]:
    return {"latency_s": latency_s, "bandwidth_bytes_per_s": rate}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Bytes, threads or bandwidth, by what the case asks."""
    ask, got = case.inputs["ask"], observed["got"]
    latency_s, rate = case.inputs["latency_s"], case.inputs["bandwidth_bytes_per_s"]
    each = case.inputs.get("bytes_per_thread")
    if ask == "bytes":
        cause = likely_cause(got, _BYTES, {"latency_s": latency_s, "rate": rate})
        call = f"bytes_in_flight({exact(latency_s)}, {exact(rate)})"
        expected = in_flight(latency_s, rate)
        yield from number_fault("bytes", call, got, expected, unit="bytes", cause=cause)
    elif ask == "threads":
        yield from _wrong_threads(got, latency_s, rate, each)
    else:
        threads = case.inputs["threads"]
        inputs = {"threads": threads, "each": each, "latency_s": latency_s, "peak": rate}
        cause = likely_cause(got, _REACHED, inputs)
        call = f"bandwidth_with({threads}, {each}, {exact(latency_s)}, {exact(rate)})"
        expected = reached(**inputs)
        yield from number_fault("bandwidth", call, got, expected, unit="B/s", cause=cause)


def _wrong_threads(got: Any, latency_s: float, rate: float, each: int) -> Iterable[Fault]:
    """Rounded up; a quotient that floating point cannot tell from a whole number may go either way.

    Where the numbers as the computer holds them divide evenly, no rounding excuses one more.
    """
    quotient = exact_threads(latency_s, rate, each)
    is_free_of_rounding = (Fraction(latency_s) * Fraction(rate) / each).denominator == 1
    blur = Fraction(0) if is_free_of_rounding else quotient / 10**12
    fewest, most = math.ceil(quotient - blur), math.ceil(quotient + blur)
    if fewest <= got <= most and got == int(got):
        return
    inputs = {"latency_s": latency_s, "rate": rate, "each": each}
    cause = likely_cause(got, _THREADS, inputs)
    if not cause and math.isfinite(got) and got != int(got):
        cause = "That is not a whole number. Can a part of a thread run?"
    plural = "thread" if got == 1 else "threads"
    call = f"`threads_needed({exact(latency_s)}, {exact(rate)}, {each})`"
    yield Fault(
        "threads", f"{call} gave {got:.12g} {plural}, expected {math.ceil(quotient)}", cause
    )


_PREDICTED = math.ceil(Fraction(500, 10**9) * 3350 * 10**9 / 16)

JUDGE = Judge(
    title="How many threads fill a device?",
    properties=(
        Property("bytes", "`bytes_in_flight`: bytes on their way at any time", 1),
        Property("threads", "`threads_needed`: the fewest threads, a whole number", 1),
        Property("bandwidth", "`bandwidth_with`: what threads reach, up to the peak", 1),
    ),
    hints=(
        "A byte asked for now arrives one latency later. How many bytes have you asked for in the "
        "meantime, if memory delivers at its full rate?",
        "Bytes in flight are latency times bandwidth. Each thread holds `bytes_per_thread` of "
        "them. Turned round: what threads hold, divided by the latency, is what arrives in a "
        "second, as long as the memory can keep up.",
        "`math.ceil(latency_s * bandwidth_bytes_per_s / bytes_per_thread)`, and "
        "`min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "littles-law": Prediction(
            "memory of 3,350 GB/s answers after 500 ns, as on an H100-class device. How many "
            "threads must wait for it at once, each for 16 bytes, to keep it busy?",
            truth=float(_PREDICTED),
            unit="threads",
            because="500 ns at 3,350 GB/s are 1.675 MB on their way. The device has room for "
            "132 SMs of 2,048 threads, 270,336. With 4 bytes each, 418,750 would be needed: more "
            "than there is room for.",
        )
    },
)
