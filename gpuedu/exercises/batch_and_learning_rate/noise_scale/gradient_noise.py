"""Signal and noise of gradients: from two batches, known in full, and along a real run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from gpuedu.exercises.training.quiet import quiet_torch

MOMENTS = (1, 3, 10, 30, 100, 300, 1000)
"""After how many steps of the run in the picture the gradients are looked at."""
FEW, MANY, PAIRS = 16, 256, 100
_HIDDEN, _BATCH, _RATE = (32,), 32, 0.2


class Terms(NamedTuple):
    """Of the square of a batch's gradient, on average ``signal + noise / batch``."""

    signal: float
    noise: float

    @property
    def scale(self) -> float:
        """The batch at which both parts are equal; infinite where no signal is seen."""
        return self.noise / self.signal if self.signal > 0 else math.inf


def solve_terms(few: int, many: int, few_square: float, many_square: float) -> Terms:
    """Both terms from the squares of two batches' gradients (McCandlish et al., appendix A.1).

    >>> solve_terms(8, 64, 6.0, 2.5)
    Terms(signal=2.0, noise=32.0)
    """
    signal = (many * many_square - few * few_square) / (many - few)
    return Terms(signal, (few_square - many_square) / (1 / few - 1 / many))


def mean_terms(few: int, many: int, squares: Sequence[tuple[float, float]]) -> Terms:
    """Each term's mean over steps with these squares, of few and of many."""
    found = [solve_terms(few, many, *pair) for pair in squares]
    return Terms(fmean(one.signal for one in found), fmean(one.noise for one in found))


def saving(scale: float, batch: float) -> float:
    """By how much doubling a batch divides the steps, if they are ``least (1 + scale / batch)``.

    >>> saving(1000, 500), saving(math.inf, 500)
    (1.5, 2.0)
    """
    if math.isinf(scale):
        return 2.0
    return (1 + scale / batch) / (1 + scale / (2 * batch))


@dataclass(frozen=True)
class Moment:
    """A moment of a run: pairs of gradients, of few samples and of many, and the truth.

    ``pairs`` are as the learner's function gets them: lists of tensors, one for each parameter.
    """

    step: int
    pairs: tuple[tuple[list[Any], list[Any]], ...]
    truth: Terms


@cache
def watch_run() -> tuple[Moment, ...]:
    """Train a small network on digits with SGD, and look at its gradients now and then."""
    import torch
    from torch import nn

    from gpuedu.training import MLP, Batches, load_digits, train
    from gpuedu.training.seeds import generator

    with quiet_torch(5):
        split, chance = load_digits().train, generator(31)
        model = MLP(64, 10, hidden=_HIDDEN)
        optimizer = torch.optim.SGD(model.parameters(), lr=_RATE)
        batches = _for_ever(Batches(split, _BATCH))
        moments, done = [], 0
        for step in MOMENTS:
            train(model, batches, nn.functional.cross_entropy, optimizer, steps=step - done)
            pairs = tuple(_pair(model, split, chance) for _ in range(PAIRS))
            moments.append(Moment(step, pairs, truth_of(model, split)))
            done = step
        return tuple(moments)


def _for_ever(batches: Any) -> Iterator[Any]:
    while True:
        yield from batches


def _pair(model: Any, split: Any, chance: Any) -> tuple[list[Any], list[Any]]:
    """Gradients of the first few of many samples, and of all of them."""
    import torch

    chosen = torch.randint(len(split), (MANY,), generator=chance)
    few, many = (_gradient(model, split, part) for part in (chosen[:FEW], chosen))
    return few, many


def _gradient(model: Any, split: Any, chosen: Any) -> list[Any]:
    import torch
    from torch.nn.functional import cross_entropy

    loss = cross_entropy(model(split.inputs[chosen]), split.targets[chosen])
    return list(torch.autograd.grad(loss, tuple(model.parameters())))


def truth_of(model: Any, split: Any) -> Terms:
    """Both terms from the gradient of every single sample."""
    each = gradients_of_samples(model, split.inputs, split.targets)
    signal = sum(float(one.mean(dim=0).double().square().sum()) for one in each)
    whole = sum(float(one.double().square().sum()) for one in each) / len(split)
    return Terms(signal, whole - signal)


def gradients_of_samples(model: Any, inputs: Any, targets: Any) -> list[Any]:
    """For each parameter a tensor (N, ...) of its gradients by sample."""
    from torch.func import functional_call, grad, vmap
    from torch.nn.functional import cross_entropy

    weights = {name: one.detach() for name, one in model.named_parameters()}

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return cross_entropy(functional_call(model, weights, (x[None],)), y[None])

    return list(vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, targets).values())


NoiseScale = Callable[[Sequence[tuple[list[Any], list[Any]]], int, int], Any]
"""``noise_scale(steps, few, many)``, the learner's."""
