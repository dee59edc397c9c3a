"""Shares of a window, as they are and as known mistakes give them, for three-utilisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.clock.timeline import length_s, union
from gpuedu.exercises.compare import Misconception

Kernel = tuple[float, float, int, float]
"""Start and end in seconds, SMs in use, bytes moved."""


def inside(kernels: Sequence[Kernel], start_s: float, end_s: float) -> list[Kernel]:
    """What of each kernel lies in the window: its bytes flow evenly over its time."""
    kept = []
    for kernel_start_s, kernel_end_s, sms, size_bytes in kernels:
        a, b = max(kernel_start_s, start_s), min(kernel_end_s, end_s)
        if b > a:
            share = (b - a) / (kernel_end_s - kernel_start_s)
            kept.append((a, b, sms, size_bytes * share))
    return kept


def gpu_util(kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float) -> float:
    """Share of the window in which at least one kernel ran."""
    spans = union((a, b) for a, b, _, _ in inside(kernels, start_s, end_s))
    return length_s(spans) / (end_s - start_s)


def sm_active(
    kernels: Sequence[Kernel], start_s: float, end_s: float, sms: int, **_: float
) -> float:
    """Mean share of the SMs that were busy."""
    busy_s = sum((b - a) * used for a, b, used, _ in inside(kernels, start_s, end_s))
    return busy_s / (sms * (end_s - start_s))


def memory_share(
    kernels: Sequence[Kernel], start_s: float, end_s: float, peak_bytes_per_s: float, **_: float
) -> float:
    """Bytes moved, of those that the memory could have moved."""
    moved = sum(size for _, _, _, size in inside(kernels, start_s, end_s))
    return moved / (peak_bytes_per_s * (end_s - start_s))


TRUTHS = {"gpu_util": gpu_util, "sm_active": sm_active, "memory_share": memory_share}


def _sum_of_times(kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float) -> float:
    return sum(b - a for a, b, _, _ in inside(kernels, start_s, end_s)) / (end_s - start_s)


def _last_end(kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float) -> float:
    """Merged as if the kernel that began last also ended last."""
    busy_s, reached_s = 0.0, start_s
    for a, b, _, _ in sorted(inside(kernels, start_s, end_s)):
        busy_s += max(b - max(a, reached_s), 0.0)
        reached_s = b
    return busy_s / (end_s - start_s)


def _from_first_to_last(
    kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float
) -> float:
    parts = inside(kernels, start_s, end_s)
    return (max(b for _, b, _, _ in parts) - min(a for a, *_ in parts)) / (end_s - start_s)


def _as_it_comes(kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float) -> float:
    """Merged in the order of the list."""
    busy_s, reached_s = 0.0, start_s
    for a, b, _, _ in inside(kernels, start_s, end_s):
        busy_s += max(b - max(a, reached_s), 0.0)
        reached_s = max(b, reached_s)
    return busy_s / (end_s - start_s)


def _uncut(kernels: Sequence[Kernel], start_s: float, end_s: float, **_: float) -> float:
    """Kernels that touch the window, with what they ran outside of it."""
    touching = [k for k in kernels if inside([k], start_s, end_s)]
    return length_s(union((a, b) for a, b, *_ in touching)) / (end_s - start_s)


def _mean_of_kernels(
    kernels: Sequence[Kernel], start_s: float, end_s: float, sms: int, **_: float
) -> float:
    used = [n for _, _, n, _ in inside(kernels, start_s, end_s)]
    return sum(used) / len(used) / sms


def _whole(truth: Any, kernels: Sequence[Kernel], **given: float) -> float:
    """Without the window's edges: every kernel in full, over the window's time."""
    start_s, end_s = given["start_s"], given["end_s"]
    given |= {"start_s": min(a for a, *_ in kernels), "end_s": max(k[1] for k in kernels)}
    return truth(kernels, **given) * (given["end_s"] - given["start_s"]) / (end_s - start_s)


def _while_busy(truth: Any, **given: Any) -> float:
    """Over the time in which a kernel ran, not over the window."""
    return truth(**given) / gpu_util(**given)


def _in_seconds(truth: Any, **given: Any) -> float:
    """Not divided by the window's length."""
    return truth(**given) * (given["end_s"] - given["start_s"])


def _only_touching(truth: Any, kernels: Sequence[Kernel], **given: float) -> float:
    """Kernels that lie in the window as a whole, the others left out."""
    kept = [k for k in kernels if k[0] >= given["start_s"] and k[1] <= given["end_s"]]
    return truth(kept, **given)


def _clipped_times_all_bytes(kernels: Sequence[Kernel], **given: float) -> float:
    window = given["start_s"], given["end_s"]
    kept = [
        (a, b, sms, size) for a, b, sms, size in kernels if inside([(a, b, sms, size)], *window)
    ]
    moved = sum(size for *_, size in kept)
    return moved / (given["peak_bytes_per_s"] * (window[1] - window[0]))


_OF_ALL = (
    lambda truth: Misconception(
        lambda **given: 100 * truth(**given), "That is in per cent. Return a share, from 0 to 1."
    ),
    lambda truth: Misconception(
        lambda **given: _in_seconds(truth, **given),
        "That is a time, in seconds. How long is the window of which it is a share?",
    ),
    lambda truth: Misconception(
        lambda **given: _whole(truth, **given),
        "That counts what ran outside of the window, too. Which part of such a kernel lies in it?",
    ),
    lambda truth: Misconception(
        lambda **given: _only_touching(truth, **given),
        "That leaves out kernels which lie in the window in part. How long did those run in it?",
    ),
)
_WHILE_BUSY = (
    "That is over the time in which a kernel ran. The gaps belong to the window: in them, nothing "
    "is used."
)


def misconceptions(name: str) -> list[Misconception]:
    """What is known to go wrong in the function of this name."""
    truth = TRUTHS[name]
    known = [of_all(truth) for of_all in _OF_ALL]
    if name == "gpu_util":
        return [
            *known,
            Misconception(
                _sum_of_times,
                "That adds up the kernels' times. Two kernels that run at the same time keep the "
                "GPU busy once.",
            ),
            Misconception(
                _last_end,
                "A kernel that starts later may end sooner. Until when is the GPU busy with both?",
            ),
            Misconception(
                _as_it_comes,
                "The list is in no order. What goes wrong where a later entry began earlier?",
            ),
            Misconception(
                _uncut,
                "That counts what ran outside of the window, too. Which part lies inside?",
            ),
            Misconception(
                _from_first_to_last,
                "That is from the first start to the last end. What about the gaps between?",
            ),
        ]
    known.append(Misconception(lambda **given: _while_busy(truth, **given), _WHILE_BUSY))
    if name == "sm_active":
        says = "That is a mean over kernels. How long did each of them run?"
        known.append(Misconception(_mean_of_kernels, says))
    if name == "memory_share":
        says = "That is the share of time in which bytes moved. How many, of how many possible?"
        known.append(Misconception(gpu_util, says))
        says = "A kernel that lies in the window in part moves a part of its bytes there. Which?"
        known.append(Misconception(_clipped_times_all_bytes, says))
    return known
