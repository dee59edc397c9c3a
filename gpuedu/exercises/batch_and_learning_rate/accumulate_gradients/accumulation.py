"""Batches cut into micro-batches, models to train on them, and what a step makes of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from gpuedu.exercises.training.quiet import quiet_torch

IGNORED = -100
"""The target of a position that does not count: PyTorch's own default."""
UNCLIPPED = 1e6

Step = Callable[[Any, Any, Sequence[tuple[Any, Any]], float], Any]
"""``step(model, optimizer, micro_batches, max_norm)``, the learner's."""

_INPUTS, _CLASSES, _CHARACTERS, _LENGTH = 6, 5, 20, 12
_RATE, _MOMENTUM = 0.1, 0.9


@dataclass(frozen=True)
class Task:
    """A batch of samples, or of texts with padding, in micro-batches of these ``sizes``; float64.

    ``empty`` is the place of a micro-batch of padding alone, ``stale`` tells that gradients of an
    earlier step are there still, ``batch_norm`` puts such a layer into the model. ``steps`` are
    taken one after another, each with a batch of its own.
    """

    sizes: tuple[int, ...]
    texts: bool = False
    empty: int | None = None
    max_norm: float = UNCLIPPED
    stale: bool = False
    batch_norm: bool = False
    width: int = 16
    steps: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Seen:
    """One step: the gradients at its first update, how many updates it made, what it returned.

    ``kept`` says whether the list of micro-batches is as it was; ``evaluates`` where the model was
    in evaluation mode: in a "forward", or "after" the step, or "" for nowhere.
    """

    gradients: tuple[np.ndarray, ...]
    updates: int
    result: Any
    kept: bool
    evaluates: str = ""


def build(task: Task) -> tuple[Any, Any, list[list[tuple[Any, Any]]]]:
    """Model, optimizer (SGD with momentum) and, for each step, its micro-batches."""
    import torch
    from torch import nn

    from gpuedu.training.seeds import generator

    chance, width = generator(29, task.seed), task.width
    first = nn.Embedding(_CHARACTERS, width) if task.texts else nn.Linear(_INPUTS, width)
    norm = [nn.BatchNorm1d(width)] if task.batch_norm else []
    last = nn.Linear(width, _CHARACTERS if task.texts else _CLASSES)
    layers = (first, *norm, nn.Linear(width, width), nn.Tanh(), last, _mode_mark())
    model = nn.Sequential(*layers).double()
    with torch.no_grad():
        for weights in model.parameters():
            noise = torch.randn(weights.shape, generator=chance, dtype=torch.float64)
            weights.copy_(noise / width**0.5 if weights.ndim == 2 else 1 + 0.1 * noise)
    optimizer = torch.optim.SGD(model.parameters(), lr=_RATE, momentum=_MOMENTUM)
    make = _texts if task.texts else _samples
    batches = [
        [make(size, chance, place, is_empty=place == task.empty) for place, size in _places(task)]
        for _ in range(task.steps)
    ]
    return model, optimizer, batches


def _mode_mark() -> Any:
    """A layer that changes nothing, in evaluation mode by an operation that can be seen."""
    from torch import nn

    class ModeMark(nn.Module):
        def forward(self, scores: Any) -> Any:
            return scores if self.training else scores.copysign(scores)

    return ModeMark()


def _evaluations() -> Any:
    """A mode of PyTorch's dispatcher; its ``seen`` tells whether a mark was left in it."""
    import torch

    from gpuedu.training.dispatch import DispatchWatch

    class Evaluations(DispatchWatch):
        seen = False

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            self.seen |= func is torch.ops.aten.copysign.Tensor
            return func(*args, **(kwargs or {}))

    return Evaluations()


def _places(task: Task) -> list[tuple[int, int]]:
    return list(enumerate(task.sizes))


def _samples(size: int, chance: Any, place: int, *, is_empty: bool) -> tuple[Any, Any]:
    """Vectors (size, 6) and classes (size,); each micro-batch has others than the one before."""
    import torch

    x = torch.randn(size, _INPUTS, generator=chance, dtype=torch.float64) + 0.5 * place
    return x, (torch.randint(_CLASSES, (size,), generator=chance) + place) % _CLASSES


def _texts(size: int, chance: Any, place: int, *, is_empty: bool) -> tuple[Any, Any]:
    """Characters (size, 12), and targets of which those behind a text's end do not count.

    Texts are long in every second micro-batch, and short in the others.
    """
    import torch

    x, y = torch.randint(_CHARACTERS, (2, size, _LENGTH), generator=chance)
    low, high = (1, 4) if place % 2 else (_LENGTH - 4, _LENGTH)
    lengths = torch.randint(low, high, (size, 1), generator=chance)
    y[torch.arange(_LENGTH) >= lengths] = IGNORED
    if is_empty:
        y.fill_(IGNORED)
    return x, y


def run_steps(step: Step, task: Task) -> list[Seen]:
    """Take the task's steps, and look at the gradients when the optimizer is asked to update."""
    import torch

    with quiet_torch(task.seed):
        model, optimizer, batches = build(task)
        if task.stale:
            for weights in model.parameters():
                weights.grad = torch.full_like(weights, 0.3)
        updates: list[tuple[np.ndarray, ...]] = []

        def look(result: Any = None) -> Any:
            updates.append(tuple(gradients_of(model)))
            return result

        optimizer.register_step_pre_hook(_before_update(look))
        seen = []
        for micro_batches in batches:
            updates.clear()
            handed = list(micro_batches)
            with _evaluations() as evaluations:
                result = step(model, optimizer, handed, task.max_norm)
            kept = list(map(id, handed)) == list(map(id, micro_batches))
            gradients = updates[0] if updates else ()
            after = "" if _is_training(model) else "after"
            evaluates = "forward" if evaluations.seen else after
            seen.append(Seen(gradients, len(updates), result, kept, evaluates))
        return seen


def _is_training(model: Any) -> bool:
    return all(part.training for part in model.modules())


def _before_update(look: Callable[..., Any]) -> Callable[..., Any]:
    """A hook that looks when gradients are complete: behind the closure, if ``step`` is given one.

    ``look`` is handed what the closure gave, and gives it back.
    """

    def hook(_: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        optimizer, *rest = arguments
        closure = rest[0] if rest else keywords.get("closure")
        if closure is None:
            look()
            return None
        return (optimizer, lambda: look(closure())), {}

    return hook


def _gradient(weights: Any) -> np.ndarray:
    import torch

    found = torch.zeros_like(weights) if weights.grad is None else weights.grad
    return found.detach().numpy().copy()


def loss_sum(scores: Any, y: Any) -> Any:
    """The losses of all targets that count, added."""
    from torch.nn.functional import cross_entropy

    return cross_entropy(scores.flatten(0, -2), y.flatten(), ignore_index=IGNORED, reduction="sum")


def passing_bytes(step: Step, task: Task, look: Callable[[Any], None] = lambda model: None) -> int:
    """The most bytes at once of what a step saves for backward and what comes and goes.

    They are not told apart: so steps that work with ``torch.func`` are counted as others are.
    ``look`` is given the model when the optimizer is asked to update.
    """
    from gpuedu.training.memory import points

    trace = watch_step(step, task, tells_saved=False, look=look)
    return max(point.by_kind["activations"] + point.by_kind["other"] for point in points(trace))


def gradients_of(model: Any) -> list[np.ndarray]:
    """Of all its weights; 0 where there is none."""
    return [_gradient(weights) for weights in model.parameters()]


def watch_step(
    step: Step,
    task: Task,
    *,
    tells_saved: bool = True,
    look: Callable[[Any], None] = lambda model: None,
) -> Any:
    """The memory of one step, storage by storage; its phases are its forwards, by number."""
    from gpuedu.training.memory import MemoryWatch

    with quiet_torch(task.seed):
        model, optimizer, batches = build(task)
        numbers = count(1)
        with MemoryWatch(model, optimizer, tells_saved=tells_saved) as watch:
            watch.add_batch(*(tensor for pair in batches[0] for tensor in pair))
            model.register_forward_pre_hook(lambda *_: watch.enter_phase(str(next(numbers))))

            def update(result: Any = None) -> Any:
                watch.enter_phase("update")
                look(model)
                return result

            optimizer.register_step_pre_hook(_before_update(update))
            step(model, optimizer, batches[0], task.max_norm)
        return watch.trace()
