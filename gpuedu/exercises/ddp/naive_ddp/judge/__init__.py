"""naive-ddp: copies of a model on ranks that make one process's steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.ddp.replica_models import build, gradient_bytes, state_of
from gpuedu.exercises.ddp.replicas import State, Task, held
from gpuedu.exercises.ddp.replicas_alone import train_alone
from gpuedu.exercises.ranks.properties import Held, first_off, right_on_ranks
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest parameter. Right answers are right to the rounding of float64; weights that are
ratios of whole tensors are float32 in PyTorch, and right answers, too."""
SMALL_BYTES = 96
"""A step may send so much beside each rank's gradients: counts, flags."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Models with all that is awkward, on 2 to 4 ranks, with even and with ragged batches."""
    even = int(rng.integers(3, 6))
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(
        label: str, kind: str, sizes: Sequence[Sequence[int]], *decides: str, apart: bool = False
    ) -> Case:
        task = Task(kind, tuple(tuple(row) for row in sizes), next(seeds), apart)
        # `start` is judged by itself, so that no slip of `average` is counted against it.
        steps = 0 if decides == ("start",) else None
        inputs = {"task": asdict(task), "seed": next(seeds), "steps": steps}
        return Case(label, inputs | {"counts_bytes": "bytes" in decides}, decides)

    full = [even] * 3
    ragged = [full, [even, even, 1], [1, even, even - 1]]
    return [
        draw("every rank starts differently", "plain", [full], "start", apart=True),
        draw("a model with buffers", "buffers", [full], "start", apart=True),
        draw("a model with a frozen layer", "frozen", [full], "start", apart=True),
        draw("copies with different starts", "plain", [full] * 3, "equal", apart=True),
        draw("4 ranks", "plain", [[even] * 4] * 3, "equal", "bytes"),
        draw("shards of different sizes", "plain", ragged, "ragged"),
        draw("two ranks, the last batch is short", "plain", [[even] * 2, [even, 1]], "ragged"),
        draw("a layer is used twice (tied)", "tied", [[even] * 3] * 2, "shared", "bytes"),
        draw("some parameters are frozen", "frozen", [[even] * 4] * 2, "shared", "bytes"),
        draw("each rank uses a different head", "heads", [full] * 2, "unused"),
        draw("heads of different depth", "uneven-heads", [full] * 2, "unused"),
        draw("a rank has no samples left", "plain", [full, [even, 2, 0]], "unused"),
    ]


def _starts(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = Task.of(inputs["task"])
    wanted = state_of(build(task.kind, task.seed))
    for rank, states in enumerate(observed["states"]):
        yield from held(f"after `start`, on rank {rank}", task.kind, states[0], wanted)


@lru_cache(maxsize=64)
def _alone(task: Task) -> list[State]:
    return train_alone(task)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = Task.of(inputs["task"])
    for step, wanted in enumerate(_alone(task), 1):
        for rank, states in enumerate(observed["states"]):
            where = f"after step {step}, on rank {rank}"
            yield from held(where, task.kind, states[step], wanted, rel=REL)


def _test_equal(case: Case, observed: Plain) -> Iterable[Fault]:
    begun = list(first_off("equal", _starts(case.inputs, observed)))
    if begun and case.inputs["task"]["apart"]:
        yield Undecided(
            "equal", f"not all copies started with rank 0's parameters: {begun[0].message}"
        )
    else:
        yield from first_off("equal", _steps(case.inputs, observed))


def most_bytes(task: Task) -> float:
    """What a step may send: a ring's all-reduce of each gradient, and a few small things."""
    return 2 * (task.ranks - 1) * (gradient_bytes(task.kind) + SMALL_BYTES)


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault | Undecided]:
    task, sent = Task.of(case.inputs["task"]), observed["step_bytes"]
    ring = 2 * (task.ranks - 1) * gradient_bytes(task.kind)
    if sent < ring / 2:
        told = f"a step sends {format_size(sent)} on {task.ranks} ranks, too little for all"
        yield Undecided("bytes", f"{told} gradients")
    elif sent > most_bytes(task):
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {task.ranks} ranks; one all-reduce of each "
            f"gradient sends {format_size(ring)}",
        )


JUDGE = Judge(
    title="The same step on all ranks",
    properties=(
        right_on_ranks(
            "start",
            "after `start` all ranks have rank 0's parameters and buffers",
            2,
            _starts,
            asks="Which tensors does a model keep, and whose values does each of them hold after "
            "`start`?",
        ),
        Property(
            "equal",
            "every step is that of one process with the whole batch",
            2,
            "How much does each sample count in each rank's gradient, and how much in that of a "
            "single process?",
            _test_equal,
        ),
        right_on_ranks(
            "ragged",
            "and where the ranks' shards differ in size",
            1,
            _steps,
            asks="How much does a sample of each rank count in your gradient, and how much in "
            "that of a single process?",
        ),
        right_on_ranks(
            "unused",
            "and where a rank did not use a parameter, or has no samples",
            1,
            _steps,
            asks="What does each rank hand over for each parameter, and with what weight? What is "
            "it added to, and what is `p.grad` on each rank afterwards?",
        ),
        right_on_ranks(
            "shared",
            "and with tied and with frozen parameters",
            1,
            _steps,
            asks="How often is the gradient of each parameter weighted, exchanged, and divided?",
        ),
        Property(
            "bytes",
            "each gradient is exchanged once, and nothing that is frozen",
            1,
            "Which tensors does your step exchange, how often, and by which collective?",
            _test_bytes,
            after=("equal",),
        ),
    ),
    hints=(
        "Two things make a copy's step: what it starts with, and its gradient. Which calls make "
        "each of them equal on all ranks? And do all ranks get to each of these calls?",
        "`dist.broadcast(tensor, 0)` for every parameter and buffer. The mean over all samples is "
        "the sum of the ranks' means, each times its share of the samples: scale your gradient "
        "first, then all-reduce. To get the number of all samples, all-reduce a tensor that holds "
        "your own. Where `p.grad` is None, zeros take its place.",
        "`total = torch.tensor(float(samples))`, `dist.all_reduce(total)`; then for every p in "
        "`model.parameters()` with `p.requires_grad`: `if p.grad is None: p.grad = "
        "torch.zeros_like(p)`, `p.grad *= samples / total.item()`, `dist.all_reduce(p.grad)`. "
        "And for the start: `for t in [*model.parameters(), *model.buffers()]: "
        "dist.broadcast(t.detach(), 0)`.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "naive-ddp": Prediction(
            "two ranks have the last 3 and 1 samples of an epoch, and the draft averages their "
            "two means. How many times its weight in the whole batch does the lone sample get?",
            truth=2,
            unit="times",
            because="Each of the four samples should count 1/4. The lone one is a whole rank's "
            "mean, which counts 1/2.",
        ),
        "naive-ddp-apart": Prediction(
            "two copies start with different weights, and every step averages their gradients. "
            "What happens to the difference between them?",
            truth="it stays",
            choices=("it shrinks", "it stays", "it grows"),
            because="Both copies subtract the same numbers from their parameters, so their "
            "difference is what it was. And that mean is neither copy's gradient.",
        ),
    },
)
