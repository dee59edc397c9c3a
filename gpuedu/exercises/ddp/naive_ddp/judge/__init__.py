"""naive-ddp: copies of a model on ranks that make one process's steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp.replica_models import build, gradient_bytes, names_of, state_of
from gpuedu.exercises.ddp.replicas import State, Task, train_alone, train_in_turn, weighted
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest parameter. Right answers are right to the rounding of float64; weights that are
ratios of whole tensors are float32 in PyTorch, and right answers, too."""
SMALL_BYTES = 96
"""A step may send so much beside each rank's gradients: counts, flags."""

MISTAKES = (
    (
        weighted(lambda count, total, ranks: 1.0),
        "That is the sum of all gradients, not their mean.",
    ),
    (
        weighted(lambda count, total, ranks: 1 / ranks),
        "That is the mean of the ranks' means: each rank counts alike, however few samples it "
        "has. What should a rank count for?",
    ),
    (
        weighted(lambda count, total, ranks: 1 / ranks**2),
        "That is divided by the number of ranks twice. Which of the two divisions is one too many?",
    ),
    (
        weighted(lambda count, total, ranks: count / total / ranks),
        "That is divided twice: the weights add up to 1 already.",
    ),
    (
        weighted(lambda count, total, ranks: float(count)),
        "That is weighted by samples, but not divided by how many there are on all ranks.",
    ),
    (
        weighted(lambda count, total, ranks: 1 / total),
        "A rank's gradient is a *mean* over its samples; before it is divided by all samples, it "
        "has to become a sum.",
    ),
    (lambda gradients, sizes: gradients, "Each rank went its own way: nothing was averaged."),
)
"""How ranks may combine their gradients, each with what to say of it."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Models with all that is awkward, on 2 to 4 ranks, with even and with ragged batches."""
    even = int(rng.integers(3, 6))
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(
        label: str, kind: str, sizes: Sequence[Sequence[int]], *decides: str, apart: bool = False
    ) -> Case:
        task = Task(kind, tuple(tuple(row) for row in sizes), next(seeds), apart)
        counts = "bytes" in decides
        inputs = {"task": asdict(task), "seed": next(seeds), "counts_bytes": counts}
        return Case(label, inputs, decides)

    full = [even] * 3
    ragged = [full, [even, even, 1], [1, even, even - 1]]
    return [
        draw("every rank begins elsewhere", "plain", [full] * 3, "start", "equal", apart=True),
        draw("a model with buffers", "buffers", [full], "start", apart=True),
        draw("a model with a frozen layer", "frozen", [full], "start", apart=True),
        draw("4 ranks", "plain", [[even] * 4] * 3, "equal", "bytes"),
        draw("shards of different sizes", "plain", ragged, "ragged"),
        draw("two ranks, the last batch is short", "plain", [[even] * 2, [even, 1]], "ragged"),
        draw("a layer is used twice (tied)", "tied", [[even] * 3] * 2, "shared", "bytes"),
        draw("some parameters are frozen", "frozen", [[even] * 4] * 2, "shared", "bytes"),
        draw("each rank uses another head", "heads", [full] * 2, "unused"),
        draw("heads of different depth", "uneven-heads", [full] * 2, "unused"),
        draw("a rank has no samples left", "plain", [full, [even, 2, 0]], "unused"),
    ]


@lru_cache(maxsize=64)
def _alone(task: Task) -> list[State]:
    return train_alone(task)


@lru_cache(maxsize=256)
def _mistaken(number: int, task: Task) -> list[list[State]]:
    return train_in_turn(task, MISTAKES[number][0])


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """States after the start against rank 0's, after every step against one process's; bytes."""
    task = Task.of(case.inputs["task"])
    states = observed["states"]
    if "start" in case.decides:
        yield from _start_faults(task, states)
    for prop in set(case.decides) - {"start", "bytes"}:
        yield from _step_faults(prop, task, states)
    if "bytes" in case.decides:
        yield from _byte_faults(task, observed["step_bytes"])


def _start_faults(task: Task, states: Sequence[Sequence[State]]) -> Iterable[Fault]:
    names, first = names_of(task.kind), state_of(build(task.kind, task.seed))
    for rank, begun in enumerate(one[0] for one in states):
        for place, (mine, wanted) in enumerate(zip(begun, first, strict=True)):
            if not np.array_equal(mine, wanted):
                message = f"after `start`, {names[place]} of rank {rank} is not rank 0's"
                yield Fault("start", message, _why_apart(task, names[place], rank))
                return


def _why_apart(task: Task, name: str, rank: int) -> str:
    if rank == 0:
        return "Rank 0 should keep what it has: it is the one that gives."
    if name.startswith("buffer"):
        return "A model has buffers, too: what it keeps beside its parameters (`model.buffers()`)."
    if task.kind == "frozen":
        return "A frozen parameter is not trained, but every copy computes with it."
    return (
        "Every rank made its model from another seed. The same gradient moves all copies alike, "
        "and they stay as far apart as they began."
    )


def _step_faults(prop: str, task: Task, states: Sequence[Sequence[State]]) -> Iterable[Fault]:
    names = names_of(task.kind)
    for step, wanted in enumerate(_alone(task)):
        for rank, mine in enumerate(one[step + 1] for one in states):
            place = _first_off(mine, wanted)
            if place is None:
                continue
            off = np.abs(np.nan_to_num(mine[place], nan=np.inf) - wanted[place])
            at = np.unravel_index(np.argmax(off), off.shape)
            got, expected = show_apart(float(mine[place][at]), float(wanted[place][at]))
            index = ", ".join(map(str, at))
            message = (
                f"after step {step + 1}, {names[place]} of rank {rank} is {got} at [{index}], of "
                f"one process {expected}"
            )
            yield Fault(prop, message, _cause(prop, task, states, step))
            return


def _first_off(mine: State, wanted: State) -> int | None:
    """The first place at which a rank's state is not what one process has."""
    scale = max(np.abs(one).max() for one in wanted)
    pairs = enumerate(zip(mine, wanted, strict=True))
    return next((at for at, (a, b) in pairs if not (np.abs(a - b) <= REL * scale).all()), None)


def _cause(prop: str, task: Task, states: Sequence[Sequence[State]], step: int) -> str:
    began_alike = all(_alike(one[0], states[0][0]) for one in states)
    if not began_alike:
        return "The copies were not equal when training began."
    if not _alike(states[0][0], state_of(build(task.kind, task.seed))):
        return "Training began with other numbers than rank 0's."
    mine = [one[step + 1] for one in states]
    for number, (_, says) in enumerate(MISTAKES):
        theirs = [one[step + 1] for one in _mistaken(number, task)]
        if all(_alike(a, b) for a, b in zip(mine, theirs, strict=True)):
            return says
    wanted = _alone(task)[step]
    off = [at for at, pair in enumerate(zip(mine[0], wanted, strict=True)) if not _close(*pair)]
    if task.kind == "tied" and off == [0]:
        return "It is one parameter with two names. Does your loop meet it twice?"
    if prop == "unused":
        return (
            "`p.grad` is None where a rank did not use p, or had no samples. Ranks that skip it "
            "there call fewer collectives: their next one meets another parameter's on the other "
            "ranks. What is the gradient of something that does not change the loss?"
        )
    if any(not _alike(one, mine[0]) for one in mine[1:]):
        return "The ranks' copies are no longer equal to each other."
    return ""


def _alike(mine: State, theirs: State) -> bool:
    pairs = zip(mine, theirs, strict=True)
    return all(_close(a, b) for a, b in pairs)


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    return np.allclose(a, b, rtol=1e-6, atol=1e-7)


def most_bytes(task: Task) -> float:
    """What a step may send: a ring's all-reduce of each gradient, and a few small things."""
    return 2 * (task.ranks - 1) * (gradient_bytes(task.kind) + SMALL_BYTES)


def _byte_faults(task: Task, sent: float) -> Iterable[Fault]:
    if sent > most_bytes(task):
        ring = 2 * (task.ranks - 1) * gradient_bytes(task.kind)
        causes = {
            "tied": "One parameter has two names here. Does your loop meet it twice?",
            "frozen": "What is frozen has no gradient, and need not be sent.",
        }
        usual = "Ring all-reduces of each gradient, once a step, send no more."
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {task.ranks} ranks; one all-reduce of each "
            f"gradient sends {format_size(ring)}",
            causes.get(task.kind, usual),
        )


JUDGE = Judge(
    title="The same step, on all ranks",
    properties=(
        Property("start", "after `start` all ranks have rank 0's parameters and buffers", 2),
        Property("equal", "every step is that of one process with the whole batch", 2),
        Property("ragged", "and where the ranks' shards differ in size", 1),
        Property("unused", "and where a rank did not use a parameter, or has no samples", 1),
        Property("shared", "and with tied and with frozen parameters", 1),
        Property("bytes", "each gradient is exchanged once, and nothing that is frozen", 1),
    ),
    hints=(
        "Two things make a copy's step: what it begins with, and its gradient. Which calls make "
        "each of them equal on all ranks? And do all ranks come to each of these calls?",
        "`dist.broadcast(tensor, 0)` for every parameter and buffer. The mean over all samples is "
        "the sum of the ranks' means, each times its share of the samples: scale your gradient "
        "first, then all-reduce. The number of all samples is an all-reduce of a tensor with "
        "yours. Where `p.grad` is None, zeros take its place.",
        "`total = torch.tensor(float(samples))`, `dist.all_reduce(total)`; then for every p in "
        "`model.parameters()` with `p.requires_grad`: `if p.grad is None: p.grad = "
        "torch.zeros_like(p)`, `p.grad *= samples / total.item()`, `dist.all_reduce(p.grad)`. "
        "And for the start: `for t in [*model.parameters(), *model.buffers()]: "
        "dist.broadcast(t.detach(), 0)`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=3,
    predictions={
        "naive-ddp": Prediction(
            "two ranks have the last 3 and 1 samples of an epoch, and the draft averages their "
            "two means. How many times its weight in the whole batch does the lone sample get?",
            truth=2,
            unit="times",
            because="Of four samples each has 1/4. The lone one is a mean of its own, and that "
            "counts 1/2.",
        ),
        "naive-ddp-apart": Prediction(
            "two copies begin with different numbers, and every step averages their gradients. "
            "What becomes of the difference between them?",
            truth="it stays",
            choices=("it shrinks", "it stays", "it grows"),
            because="Both copies subtract the same numbers from their parameters, so their "
            "difference is what it was. And that mean is the gradient of neither of them.",
        ),
    },
)
