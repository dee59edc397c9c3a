"""largest-batch: what is measured on the learner's machine."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import (
    Task,
    as_batch,
    most_that_fits,
    search,
)
from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.units import GIB, MIB, format_size

_LIMIT, _BUDGET = 2 * GIB, 32 * MIB


_MOST, _INPUTS, _WIDTH = 2**22, 64, 1024


_ON_CPU = Task(width=256, samples=2_000, seed=2)


def measure_largest_batch(largest_batch: Any) -> dict[str, Any]:
    """Search for the largest batch.

    On a GPU PyTorch is allowed 2 GiB meanwhile, so that nobody else's work fails; a step that
    needs more meets a real ``torch.OutOfMemoryError``.

    Returns:
        ``where``, ``memory``, ``largest`` (what the search found), ``trials``, and by count also
        ``fit``: the largest that fits.
    """
    import torch

    if torch.cuda.is_available():
        return _on_gpu(largest_batch)
    found = search(largest_batch, _ON_CPU, _BUDGET)
    return {
        "where": "this machine's CPU, by count",
        "memory": format_size(_BUDGET),
        "largest": whole_number(found.result, "what `largest_batch` returned"),
        "fit": most_that_fits(_ON_CPU, _BUDGET),
        "trials": len(found.trials),
    }


def _on_gpu(largest_batch: Any) -> dict[str, Any]:
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    trials: list[int] = []
    try:
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(min(1.0, _LIMIT / total), 0)
        with quiet_torch():
            largest = largest_batch(_stepper(trials), _MOST)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, 0)
        torch.cuda.empty_cache()
    return {
        "where": torch.cuda.get_device_name(),
        "memory": format_size(min(total, _LIMIT)),
        "largest": whole_number(largest, "what `largest_batch` returned"),
        "trials": len(trials),
    }


def _stepper(trials: list[int]) -> Any:
    """``try_step`` with a model on the GPU; an update comes first, so that Adam has its state."""
    import torch
    from torch.nn.functional import cross_entropy

    from gpuedu.training import MLP

    model = MLP(_INPUTS, 10, hidden=(_WIDTH, _WIDTH)).cuda()
    adam = torch.optim.Adam(model.parameters())

    def step(batch: int) -> None:
        adam.zero_grad(set_to_none=True)
        x = torch.rand(batch, _INPUTS, device="cuda")
        y = torch.zeros(batch, dtype=torch.long, device="cuda")
        cross_entropy(model(x), y).backward()
        adam.step()
        torch.cuda.synchronize()

    def try_step(batch: int) -> None:
        trials.append(as_batch(batch, _MOST))
        step(trials[-1])

    step(1)
    return try_step


MEASURE = measure_largest_batch
