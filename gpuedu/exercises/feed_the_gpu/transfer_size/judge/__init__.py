"""transfer-size: what a copy costs, fitted from times, and one copy in place of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import likely_cause, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import (
    SIZES,
    CopyCost,
    fit_weighted,
    scattered,
    times_of,
)
from gpuedu.exercises.feed_the_gpu.transfer_size.judge.copy_mistakes import (
    FITS,
    HALVES,
    TIMES,
    fit_fastest,
    fit_of_shares_of_sizes,
    fit_two_points,
)
from gpuedu.units import format_quantity, format_size, format_time

_EXACT = 1e-6
"""Rounding of a least-squares solution whose columns differ by seven decades, with room."""
_CLOSE = 0.05
"""How far off the fitted times may be where times scatter; every sensible fit of the cases stays
within ``_SENSIBLE``."""
_SENSIBLE = 0.035
_REPEATS = 3


def cases(rng: np.random.Generator) -> list[Case]:
    """Links of many kinds; times with and without scatter; batches of few and of many tensors."""
    drawn = []
    for ratio in (0.01, 1.0, 300.0):
        cost = _cost(rng)
        size = int(ratio * cost.latency_s * cost.bandwidth_bytes_per_s)
        inputs = {"ask": "model", "size_bytes": size, **cost._asdict()}
        drawn.append(Case(f"a copy of {format_size(size)}", inputs, ("model",)))
    drawn += [_fit_case(rng, "exact") for _ in range(3)]
    drawn += [_fit_case(rng, "scattered") for _ in range(4)]
    return drawn + [_send_case(rng, count) for count in (1, 3, 40)] + [_send_case(rng, 4, odd=True)]


def _cost(rng: np.random.Generator) -> CopyCost:
    return CopyCost(rng.integers(50, 200) * 1e-7, rng.integers(30, 500) * 1e8)


def _fit_case(rng: np.random.Generator, prop: str) -> Case:
    cost = _cost(rng)
    sizes = [float(size) for size in SIZES for _ in range(_REPEATS)]
    times = times_of(cost, sizes)
    while prop == "scattered" and not _tells(cost, sizes, times):
        times = scattered(rng, cost, sizes)
    inputs = {
        "ask": "fit",
        "sizes_bytes": np.array(sizes),
        "times_s": np.array(times),
        **cost._asdict(),
    }
    how = "without scatter" if prop == "exact" else "that scatter"
    return Case(f"{len(sizes)} times {how}", inputs, (prop,))


def _tells(cost: CopyCost, sizes: Sequence[float], times: Sequence[float]) -> bool:
    """Whether sensible fits are close, and the others are not, with room on both sides."""
    if _worst(cost, fit_two_points(sizes, times))[0] < 2 * _CLOSE:
        return False
    close = [fit_weighted(sizes, times), _log_fit(sizes, times)]
    apart = [fit_weighted(sizes, times, power=power) for power in (0.0, 2.0)]
    apart += [fit_fastest(sizes, times), fit_of_shares_of_sizes(sizes, times)]
    return all(_worst(cost, one)[0] < _SENSIBLE for one in close) and all(
        _worst(cost, one)[0] > 1.3 * _CLOSE for one in apart
    )


def _log_fit(sizes: Sequence[float], times: Sequence[float]) -> CopyCost:
    """Least squares of the logarithms of the ratios, by Gauss-Newton from the weighted fit."""
    cost, s, t = fit_weighted(sizes, times), np.asarray(sizes), np.asarray(times)
    for _ in range(5):
        model = cost.latency_s + s / cost.bandwidth_bytes_per_s
        slopes = np.stack([cost.latency_s / model, 1 - cost.latency_s / model], axis=1)
        step = np.exp(np.linalg.lstsq(slopes, np.log(t / model), rcond=None)[0])
        cost = CopyCost(cost.latency_s * step[0], cost.bandwidth_bytes_per_s / step[1])
    return cost


def _worst(cost: CopyCost, fitted: CopyCost) -> tuple[float, int]:
    """The largest error of a fitted time as a share of the true one, and for which size."""
    if not all(np.isfinite(fitted)) or fitted.bandwidth_bytes_per_s == 0:
        return float("inf"), SIZES[0]
    errors = [abs(fitted.time_s(size) / cost.time_s(size) - 1) for size in SIZES]
    place = int(np.argmax(errors))
    return errors[place], SIZES[place]


def _send_case(rng: np.random.Generator, count: int, *, odd: bool = False) -> Case:
    """Tensors of different shapes; an odd batch has an empty one, a number and a turned one."""
    shapes = [
        tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(1, 4)))) for _ in range(count)
    ]
    turned = [False] * count
    if odd:
        shapes, turned = [(4, 3), (0, 2), (), (2, 5)], [False, False, False, True]
    tensors = [np.asarray(rng.standard_normal(shape), np.float32) for shape in shapes]
    label = f"{count} tensor{'' if count == 1 else 's'}"
    label += ", one empty, one a number, one transposed" if odd else ""
    inputs = {"ask": "send", "tensors": tensors, "turned": turned}
    return Case(label, inputs, ("arrive",) if odd else ("one-copy", "arrive"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """A time and a size, a fit, or a batch that was sent."""
    inputs = case.inputs
    if inputs["ask"] == "model":
        yield from _judge_model(inputs, observed)
    elif inputs["ask"] == "fit":
        yield from _judge_fit(case, [float(value) for value in observed["got"]])
    else:
        yield from _judge_send(case, observed)


def _judge_model(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    given = {key: value for key, value in inputs.items() if key != "ask"}
    cost = CopyCost(inputs["latency_s"], inputs["bandwidth_bytes_per_s"])
    args = f"{show(cost.latency_s)}, {show(cost.bandwidth_bytes_per_s)}"
    yield from number_fault(
        "model",
        f"copy_time({inputs['size_bytes']}, {args})",
        observed["time_s"],
        cost.time_s(inputs["size_bytes"]),
        unit="s",
        cause=likely_cause(observed["time_s"], TIMES, given),
    )
    cause = likely_cause(observed["half"], HALVES, given)
    half = cost.latency_s * cost.bandwidth_bytes_per_s
    yield from number_fault(
        "model",
        f"half_size({args})",
        observed["half"],
        half,
        unit="bytes",
        cause=cause or "How long do the bytes take there, in latencies?",
    )


def _judge_fit(case: Case, got: Sequence[float]) -> Iterable[Fault]:
    inputs, (prop,) = case.inputs, case.decides
    cost = CopyCost(inputs["latency_s"], inputs["bandwidth_bytes_per_s"])
    limit = _EXACT if prop == "exact" else _CLOSE
    fitted = CopyCost(*got)
    error, size = _worst(cost, fitted)
    # The latency by itself, too: of a large copy it is nothing.
    if error <= limit and abs(fitted.latency_s / cost.latency_s - 1) <= limit:
        return
    yield Fault(prop, _tell_fit(fitted, cost, len(inputs["times_s"]), size), _why_fit(got, inputs))


def _tell_fit(fitted: CopyCost, cost: CopyCost, count: int, size: int) -> str:
    """What was found beside what the times were made from, and the size that shows it most."""
    told = f"`fit` of {count} times gave {_told(fitted)}; they were made from {_told(cost)}"
    if not np.isfinite(fitted).all() or fitted.bandwidth_bytes_per_s == 0:
        return told
    return (
        f"{told}. A copy of {size:,} bytes would take {_time(fitted.time_s(size))} by the fit, "
        f"{_time(cost.time_s(size))} by these"
    )


def _told(cost: CopyCost) -> str:
    return f"{_time(cost.latency_s)} and {format_quantity(cost.bandwidth_bytes_per_s, 'B/s')}"


def _time(time_s: float) -> str:
    return format_time(time_s) if time_s > 0 else f"{show(time_s)} s"


def _why_fit(got: Sequence[float], inputs: Mapping[str, Any]) -> str:
    given = {key: list(inputs[key]) for key in ("sizes_bytes", "times_s")}
    if abs(got[0] - 1) < _EXACT:  # the slope is then what rounding leaves of 0
        return "You divided the right side. And the rows?"
    return likely_cause(tuple(got), FITS, given, 1e-4) or (
        "By what is each equation `latency + size * slope = time` divided, on both sides? And "
        "which of the two results is which, and in which unit?"
    )


def _judge_send(case: Case, observed: Plain) -> Iterable[Fault]:
    tensors = [
        tensor.T if is_turned else tensor
        for tensor, is_turned in zip(case.inputs["tensors"], case.inputs["turned"], strict=True)
    ]
    copied, wanted = observed["copied"], sum(tensor.nbytes for tensor in tensors)
    if "one-copy" in case.decides and (len(copied) != 1 or sum(copied) != wanted):
        message = (
            f"{len(tensors)} tensor{'' if len(tensors) == 1 else 's'} of {wanted:,} bytes "
            f"travelled in {len(copied)} cop{'y' if len(copied) == 1 else 'ies'} of "
            f"{sum(copied):,} bytes"
        )
        yield Fault("one-copy", message, _why_copies(copied, wanted))
    for i, (got, tensor) in enumerate(zip(observed["arrived"], tensors, strict=True)):
        if got.shape != tensor.shape:
            message = f"tensor {i} arrived with shape {got.shape}, expected {tensor.shape}"
            yield Fault("arrive", message, "Each part is to be seen in the shape that it had.")
            return
        if not np.array_equal(got, tensor):
            yield Fault(
                "arrive", f"tensor {i} of shape {tensor.shape} is not what was sent", _why(got)
            )
            return


def _why_copies(copied: Sequence[int], wanted: int) -> str:
    if not copied:
        return "Nothing was sent: call `copy`, and return parts of what it gives back."
    if len(copied) > 1:
        return "Each copy pays the latency anew. What could be copied in place of all of them?"
    if sum(copied) > wanted:
        return "Are the tensors padded to one size? Laid end to end they need no more than theirs."
    return "Did all of them travel, in their own precision?"


def _why(got: np.ndarray) -> str:
    if np.isnan(got).all() and got.size:
        return (
            "It shows the host's memory, which was overwritten after the call: return parts of "
            "what `copy` gave back."
        )
    return "Is it cut out at the right place, and are its numbers in the order of its rows?"


JUDGE = Judge(
    title="What a copy costs",
    properties=(
        Property("model", "`copy_time` and `half_size`: latency and bandwidth", 1),
        Property("exact", "`fit` finds both exactly, where times do not scatter", 1),
        Property("scattered", "and within 5%, for small copies and large ones, where they do", 2),
        Property("one-copy", "`send` makes one copy, of no more bytes than there are", 1),
        Property("arrive", "every tensor arrives, with its shape", 1),
    ),
    hints=(
        "Which error of the fit is large: 1 µs for a copy of 10 µs, or 50 µs for one of 3 ms? And "
        "what of many tensors could be copied at once?",
        "Divide each equation `latency + size * slope = time` by its time: then every error is a "
        "share. The equations stay linear in `latency` and `slope`. For `send`: `torch.cat` lays "
        "flat tensors end to end, `torch.split` cuts such a row into parts.",
        "`rows = np.stack([1 / times_s, sizes_bytes / times_s], axis=1)`; "
        "`np.linalg.lstsq(rows, np.ones(len(times_s)))[0]` holds latency and slope, and the "
        "bandwidth is 1 / slope. `copy(torch.cat([t.reshape(-1) for t in tensors]))`, then "
        "`split([t.numel() for t in tensors])`, and `part.view(t.shape)` for each part.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "transfer-size": Prediction(
            "a copy takes 10 µs, and its bytes go at 20 GB/s behind that. A batch has 64 pictures "
            "of 12,288 bytes. How many times faster is one copy of the batch than 64 copies of a "
            "picture?",
            truth=round(64 * (10 + 12288 / 20e3) / (10 + 64 * 12288 / 20e3), 1),
            unit="times",
            because="A picture's bytes take 0.6 µs, so that 64 copies are 64 latencies and little "
            "else: 679 µs. One copy takes 10 + 39 µs.",
        )
    },
)
