"""transfer-size: what a copy costs, fitted from times, and one copy in place of many."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import (
    SIZES,
    CopyCost,
    scattered,
    times_of,
)
from gpuedu.exercises.feed_the_gpu.transfer_size.judge.fits import (
    CLOSE,
    tell_apart,
    worst_error,
)
from gpuedu.units import format_quantity, format_size, format_time

_EXACT = 1e-6
"""Rounding of a least-squares solution whose columns differ by seven decades, with room."""
_REPEATS = 3


def cases(rng: np.random.Generator) -> list[Case]:
    """Links of many kinds; times with and without scatter; batches of few and of many tensors."""
    drawn = []
    drawn += [_model_case(rng, ratio) for ratio in (0.01, 1.0, 300.0)]
    drawn += [_fit_case(rng, "exact") for _ in range(3)]
    drawn += [_fit_case(rng, "scattered") for _ in range(4)]
    drawn += [_send_case(rng, count) for count in (1, 3, 40)] + [_send_case(rng, 4, odd=True)]
    drawn += [_send_case(rng, 3, is_repeated=True), _copies_case(drawn[-1])]
    return [*drawn, _model_case(rng, 0.0)]


def _cost(rng: np.random.Generator) -> CopyCost:
    return CopyCost(rng.integers(50, 200) * 1e-7, rng.integers(30, 500) * 1e8)


def _model_case(rng: np.random.Generator, ratio: float) -> Case:
    """A copy of so many times the half size."""
    cost = _cost(rng)
    size = int(ratio * cost.latency_s * cost.bandwidth_bytes_per_s)
    inputs = {"ask": "model", "size_bytes": size, **cost._asdict()}
    return Case(f"a copy of {format_size(size)}", inputs, ("model",))


def _fit_case(rng: np.random.Generator, prop: str) -> Case:
    cost = _cost(rng)
    sizes = [float(size) for size in SIZES for _ in range(_REPEATS)]
    times = times_of(cost, sizes)
    while prop == "scattered" and not tell_apart(cost, sizes, times):
        times = scattered(rng, cost, sizes)
    inputs = {"ask": "fit", "sizes_bytes": np.array(sizes), "times_s": np.array(times)}
    how = "without scatter" if prop == "exact" else "that scatter"
    return Case(f"{len(sizes)} times {how}", inputs, (prop,), cost)


def _send_case(
    rng: np.random.Generator, count: int, *, odd: bool = False, is_repeated: bool = False
) -> Case:
    """Tensors of different shapes; an odd batch has an empty one, a number and a turned one.

    With ``is_repeated`` the last one is in the list twice. To send it once is right, too.
    """
    shapes = [
        tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(1, 4)))) for _ in range(count)
    ]
    turned = [False] * count
    if odd:
        shapes, turned = [(4, 3), (0, 2), (), (2, 5)], [False, False, False, True]
    tensors = [np.asarray(rng.standard_normal(shape), np.float32) for shape in shapes]
    label = f"{count} tensor{'' if count == 1 else 's'}"
    label += ", one empty, one a number, one transposed" if odd else ""
    label += ", the last of them in the list twice" if is_repeated else ""
    inputs = {"ask": "send", "tensors": tensors, "turned": turned, "is_repeated": is_repeated}
    return Case(label, inputs, ("arrive",) if odd or is_repeated else ("one-copy", "arrive"))


def _copies_case(odd: Case) -> Case:
    """The odd batch again, of which nothing but the copies counts."""
    return Case(odd.label, {**odd.inputs, "ask": "copies"}, ("one-copy",))


def _test_model(case: Case, observed: Plain) -> Iterable[Fault]:
    inputs = case.inputs
    cost = CopyCost(inputs["latency_s"], inputs["bandwidth_bytes_per_s"])
    args = f"{show(cost.latency_s)}, {show(cost.bandwidth_bytes_per_s)}"
    call, wanted = f"copy_time({inputs['size_bytes']}, {args})", cost.time_s(inputs["size_bytes"])
    yield from number_fault("model", call, observed["time_s"], wanted, unit="s")
    half = cost.latency_s * cost.bandwidth_bytes_per_s
    yield from number_fault("model", f"half_size({args})", observed["half"], half, unit="bytes")


def _test_fit(case: Case, observed: Plain) -> Iterable[Fault]:
    (prop,), cost = case.decides, case.truth
    limit = _EXACT if prop == "exact" else CLOSE
    fitted = CopyCost(*(float(observed[name]) for name in CopyCost._fields))
    error, size = worst_error(cost, fitted)
    # The latency by itself, too: of a large copy it is nothing.
    if error > limit or not abs(fitted.latency_s / cost.latency_s - 1) <= limit:
        yield Fault(prop, _tell_fit(fitted, cost, len(case.inputs["times_s"]), size))


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


def _sent(case: Case) -> list[np.ndarray]:
    pairs = zip(case.inputs["tensors"], case.inputs["turned"], strict=True)
    tensors = [tensor.T if is_turned else tensor for tensor, is_turned in pairs]
    return tensors + tensors[-1:] * case.inputs["is_repeated"]


def _test_copies(case: Case, observed: Plain) -> Iterable[Fault]:
    tensors, copied = _sent(case), observed["copied"]
    if copied is None:
        return
    wanted = sum(tensor.nbytes for tensor in tensors)
    if len(copied) != 1 or sum(copied) != wanted:
        message = (
            f"{len(tensors)} tensor{'' if len(tensors) == 1 else 's'} of {wanted:,} bytes "
            f"traveled in {len(copied)} cop{'y' if len(copied) == 1 else 'ies'} of "
            f"{sum(copied):,} bytes"
        )
        yield Fault("one-copy", message)


def _test_arrived(case: Case, observed: Plain) -> Iterable[Fault]:
    for i, (got, tensor) in enumerate(zip(observed["arrived"], _sent(case), strict=True)):
        if got.shape != tensor.shape:
            message = f"tensor {i} arrived with shape {got.shape}, expected {tensor.shape}"
            yield Fault("arrive", message)
            return
        if not np.array_equal(got, tensor):
            yield Fault("arrive", f"tensor {i} of shape {tensor.shape} is not what was sent")
            return
        if observed["on_host"][i] and tensor.size:  # nothing is nowhere
            told = f"tensor {i} has the right numbers, but `copy` did not bring it to the device"
            yield Fault("arrive", told)
            return


JUDGE = Judge(
    title="What a copy costs",
    properties=(
        Property(
            "model",
            "`copy_time` and `half_size`: latency and bandwidth",
            1,
            "What are the two parts of a copy's time, and how long is each when a copy reaches "
            "half "
            "the bandwidth?",
            _test_model,
        ),
        Property(
            "exact",
            "`fit` finds both exactly when times don't scatter",
            1,
            "Put your two numbers into `latency + bytes / bandwidth`. Do you get the times back?",
            _test_fit,
        ),
        Property(
            "scattered",
            "and within 5%, for small and large copies, when they do",
            2,
            "Is `fit` exact when times don't scatter? If so, what do you divide both sides of each "
            "equation `latency + size * slope = time` by, and how many of the times count?",
            _test_fit,
        ),
        Property(
            "one-copy",
            "`send` makes one copy, of no more bytes than there are",
            1,
            "How often is `copy` called, and how many numbers, of how many bytes each, does it "
            "get?",
            _test_copies,
        ),
        Property(
            "arrive",
            "every tensor arrives, with its shape",
            1,
            "Where does that tensor come from, in what order are its numbers, and what shape does "
            "it have?",
            _test_arrived,
        ),
    ),
    hints=(
        "Which error of the fit is large: 1 µs for a copy of 10 µs, or 50 µs for one of 3 ms? And "
        "how could many tensors be copied at once?",
        "Divide each equation `latency + size * slope = time` by its time: then every error is a "
        "share. The equations stay linear in `latency` and `slope`. For `send`: `torch.cat` lays "
        "flat tensors end to end, `torch.split` cuts such a row into parts.",
        "`rows = np.stack([1 / times_s, sizes_bytes / times_s], axis=1)`; "
        "`np.linalg.lstsq(rows, np.ones(len(times_s)))[0]` holds latency and slope, and the "
        "bandwidth is 1 / slope. `copy(torch.cat([t.reshape(-1) for t in tensors]))`, then "
        "`split([t.numel() for t in tensors])`, and `part.view(t.shape)` for each part.",
    ),
    results=("arrive",),
    apart=("model", "exact", "scattered"),
    cases=cases,
    predictions={
        "transfer-size": Prediction(
            "a copy takes 10 µs, and then its bytes move at 20 GB/s. A batch has 64 images of "
            "12,288 bytes. How many times faster is one copy of the batch than 64 copies of one "
            "image each?",
            truth=round(64 * (10 + 12288 / 20e3) / (10 + 64 * 12288 / 20e3), 1),
            unit="times",
            because="An image's bytes take 0.6 µs, so 64 copies are 64 latencies and little "
            "else: 679 µs. One copy takes 10 + 39 µs.",
        )
    },
)
