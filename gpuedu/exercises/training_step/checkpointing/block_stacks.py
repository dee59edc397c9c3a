"""A deep stack of small blocks, and ordinary steps of it. A play, pictures and a judge share it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.training.quiet import quiet_torch

SHORT_SIZES = {"blocks": 16, "segments": 4, "width": 32, "samples": 256}
"""A stack on which it is seen at once whether a step holds what an ordinary one holds.

Copies of a generator's state, 5 kB each, are little beside the 32 KiB that a block hands on.
"""

Step = Callable[[Sequence[Any], Any, Any, Any], Any]
"""``step(segments, x, y, loss)``: leaves gradients in the weights and returns the loss."""


@dataclass(frozen=True)
class Stack:
    """``blocks`` blocks of a linear layer and a ReLU, ``width`` wide, in ``segments`` segments.

    ``dropout`` is the share that a third layer of each block drops; ``wide`` makes all float64.
    """

    blocks: int
    segments: int
    width: int = 32
    samples: int = 64
    dropout: float = 0.0
    wide: bool = False
    seed: int = 0

    @property
    def kept_bytes(self) -> int:
        """What one block hands to the next."""
        return self.samples * self.width * (8 if self.wide else 4)

    @property
    def inside_bytes(self) -> int:
        """What a block saves: what its ReLU made; with dropout also the mask and what is left."""
        return self.kept_bytes * (3 if self.dropout else 1)


def segments_of(blocks: Sequence[Any], k: int) -> list[Any]:
    """The blocks in ``k`` segments as even as can be, each of them an ``nn.Sequential``."""
    from torch import nn

    ends = [len(blocks) * i // k for i in range(k + 1)]
    return [nn.Sequential(*blocks[a:b]) for a, b in pairwise(ends)]


def build_stack(stack: Stack) -> tuple[list[Any], Any, Any]:
    """Segments with weights of He's spread, inputs and targets; the same for the same stack."""
    import torch
    from torch import nn

    from gpuedu.training.seeds import generator

    chance = generator(17, stack.seed)
    dtype = torch.float64 if stack.wide else torch.float32
    blocks = []
    for _ in range(stack.blocks):
        linear = nn.Linear(stack.width, stack.width, dtype=dtype)
        with torch.no_grad():
            weights = torch.randn(stack.width, stack.width, generator=chance, dtype=dtype)
            linear.weight.copy_(weights * (2 / stack.width) ** 0.5)
            linear.bias.copy_(0.1 * torch.randn(stack.width, generator=chance, dtype=dtype))
        dropout = [nn.Dropout(stack.dropout)] if stack.dropout else []
        blocks.append(nn.Sequential(linear, nn.ReLU(), *dropout))
    x = torch.randn(stack.samples, stack.width, generator=chance, dtype=dtype)
    y = torch.randint(stack.width, (stack.samples,), generator=chance)
    return segments_of(blocks, stack.segments), x, y


def loss_of(scores: Any, targets: Any) -> Any:
    """Cross-entropy."""
    import torch

    return torch.nn.functional.cross_entropy(scores, targets)


def run_step(step: Step, stack: Stack, *, before: float | None = None) -> dict[str, Any]:
    """One step: what it returned and what it left behind.

    ``before`` is a number that stands in every gradient before the step; by default there is none.

    Returns:
        The ``loss`` as it was returned, the ``gradients`` as arrays or None, the ``next`` random
        numbers, and whether the batch is ``marked``: whether it requires a gradient now.
    """
    import torch

    with quiet_torch(stack.seed):
        segments, x, y = build_stack(stack)
        weights = [w for segment in segments for w in segment.parameters()]
        if before is not None:
            for weight in weights:
                weight.grad = torch.full_like(weight, before)
        with left_as_given("checkpointed_step", segments=segments, x=x, y=y):
            value = step(segments, x, y, loss_of)
        gradients = [None if w.grad is None else w.grad.to(torch.float64).numpy() for w in weights]
        return {
            "loss": value,
            "gradients": gradients,
            "next": torch.rand(4).numpy(),
            "marked": bool(x.requires_grad),
        }


def watch_stack(step: Step, stack: Stack, device: str = "cpu") -> Any:
    """The memory trace of one step, without warm-up: no optimizer is in it."""
    from torch import nn

    from gpuedu.training.memory import MemoryWatch

    with quiet_torch(stack.seed):
        segments, x, y = build_stack(stack)
        model = nn.Sequential(*segments).to(device)
        x, y = x.to(device), y.to(device)
        with MemoryWatch(model) as watch:
            watch.add_batch(x, y)
            watch.enter_phase("step")
            step(segments, x, y, loss_of)
        return watch.trace()


def with_gradients(
    measure: Callable[[Step, Stack], Any], step: Step, stack: Stack
) -> tuple[Any, list[Any]]:
    """What is measured of a step, and which gradients this very step left in the weights."""
    held: list[Any] = []

    def run(segments: Sequence[Any], x: Any, y: Any, loss: Any) -> Any:
        held.extend(segments)
        return step(segments, x, y, loss)

    found = measure(run, stack)
    return found, [w.grad for segment in held for w in segment.parameters()]


def passing_peak(trace: Any) -> int:
    """The most bytes at once of what comes and goes: saved activations, gradients of them."""
    from gpuedu.training.memory import points

    return max(point.by_kind["activations"] + point.by_kind["other"] for point in points(trace))


def count_flop(step: Step, stack: Stack) -> int:
    """FLOP of the products in one step."""
    from torch.utils.flop_counter import FlopCounterMode

    with quiet_torch(stack.seed):
        segments, x, y = build_stack(stack)
        counter = FlopCounterMode(display=False)
        # It asks for gradients of modules' inputs, with which `torch.autograd.grad` does not work.
        counter.mod_tracker = _NoModules()
        with counter:
            step(segments, x, y, loss_of)
        return counter.get_total_flops()


class _NoModules:
    """In place of PyTorch's record of which module runs: all is counted as one."""

    parents = frozenset({"Global"})

    def __enter__(self) -> None:
        """Nothing is recorded."""

    def __exit__(self, *_: object) -> None:
        """Nothing was."""
