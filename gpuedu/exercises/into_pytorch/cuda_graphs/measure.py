"""The learner's replays on a real GPU, beside the same steps launched one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.clock import time_launch
from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.cuda_graphs.graph_runs import run_eagerly
from gpuedu.units import US

KERNELS, NUMBERS = 200, 4096
_FEW, _MANY = 8, 40
_REL = 1e-4


class RealDevice:
    """PyTorch under the names of the simulated device: a learner's code runs unchanged."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.CUDAGraph, self.graph = torch.cuda.CUDAGraph, torch.cuda.graph
        self.synchronize, self.where = torch.cuda.synchronize, torch.where

    def tensor(self, values: Any) -> Any:
        """A tensor on the GPU."""
        return self._torch.tensor(values, dtype=self._torch.float32, device="cuda")


def measure_captured(
    run_captured: Callable[..., Any],
    *_formulas: Any,
    make_device: Callable[[], Any] | None = None,
    numbers: int = NUMBERS,
) -> dict[str, float]:
    """Time a step of 200 short kernels, by the learner's replays and launched one by one.

    Args:
        run_captured: the learner's.
        make_device: gives a device; PyTorch on the machine's GPU by default.
        numbers: in x.

    Returns:
        ``eager_us`` and ``replayed_us``, a step's time in a long loop, and ``set_up_us``, what
        warm-up and capture cost once.

    Raises:
        AnswerError: without a GPU, or where results differ.
    """
    device = (make_device or _make_gpu())()
    inputs = [
        (device.tensor([(i + k) % 7 / 7 for k in range(numbers)]), i / 10) for i in range(_MANY)
    ]
    wanted = [one.tolist() for one in run_eagerly(device, _step, inputs)]
    got = [one.tolist() for one in run_captured(device, _step, list(inputs))]
    _require_same(got, wanted)
    eager_s, _ = _time(device, run_eagerly, inputs)
    own_s, set_up_s = _time(device, run_captured, inputs)
    return {
        "eager_us": round(eager_s / US, 1),
        "replayed_us": round(own_s / US, 1),
        "set_up_us": round(set_up_s / US),
    }


def _step(x: Any, lr: Any) -> Any:
    for _ in range(KERNELS // 2):
        x = x * 0.5 + lr
    return x


def _time(device: Any, run: Callable[..., Any], inputs: list[Any]) -> tuple[float, float]:
    """A step's time, from the difference of many and few; and what is left besides the steps."""
    few_s, many_s = (
        time_launch(lambda n=n: run(device, _step, inputs[:n]), device.synchronize, most=9).median_s
        for n in (_FEW, _MANY)
    )
    step_s = (many_s - few_s) / (_MANY - _FEW)
    return step_s, max(few_s - _FEW * step_s, 0.0)


def _require_same(got: list[Any], wanted: list[Any]) -> None:
    if len(got) != len(wanted):
        raise AnswerError(f"there are {len(got)} results for {len(wanted)} inputs")
    for i, (one, other) in enumerate(zip(got, wanted, strict=True)):
        if not all(map(_is_near, one, other)):
            raise AnswerError(
                f"result {i} of {len(wanted)} differs from what the step gives without a graph",
                remedy='`check("cuda-graphs", ...)` says more.',
            )


def _is_near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_REL, abs_tol=_REL)


def _make_gpu() -> Callable[[], Any]:
    import torch

    if not torch.cuda.is_available():
        raise AnswerError(
            "there is no GPU here, so nothing is timed",
            remedy="The simulated timeline holds without one.",
        )
    return RealDevice


MEASURE = measure_captured
