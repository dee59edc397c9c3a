"""no-sync: a step of several micro-batches on every rank, with one exchange."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp.no_sync.micro_batches import (
    KIND,
    PHASES,
    MicroTask,
    Weigh,
    by_samples,
    run_alone,
)
from gpuedu.exercises.ddp.replica_models import gradient_bytes, names_of
from gpuedu.exercises.ddp.replicas import State
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest parameter; ratios of whole tensors are float32 in PyTorch."""
SMALL_BYTES = 64
"""A step may send so much beside each rank's gradients: the count of samples."""


def _usual(task: MicroTask, rank: int, place: int) -> float:
    sizes = task.sizes[rank]
    return 1 / (sizes[place] * len(sizes) * task.ranks)


def _own_total(task: MicroTask, rank: int, place: int) -> float:
    return 1 / (sum(task.sizes[rank]) * task.ranks)


def _last_alone(task: MicroTask, rank: int, place: int) -> float:
    sizes = task.sizes[rank]
    return _usual(task, rank, place) if place == len(sizes) - 1 else 0.0


MISTAKES: tuple[tuple[Weigh, str], ...] = (
    (
        _usual,
        "There every micro-batch's mean counts alike, and every rank, however few samples it has. "
        "What is the mean over all samples of the step?",
    ),
    (
        _own_total,
        "That is right on one rank: the mean over *its* samples. Ranks with fewer samples count "
        "as much as the others. Who knows how many there are on all ranks?",
    ),
    (
        lambda task, rank, place: 1 / (task.total * task.ranks),
        "`Parallel` takes the *mean* over the ranks: what you divide by the samples of all ranks "
        "is divided once more. What makes a sum of that mean?",
    ),
    (
        lambda task, rank, place: 1 / (task.sizes[rank][place] * task.ranks),
        "That adds up the micro-batches' means: it is as many times too large as there are "
        "micro-batches.",
    ),
    (lambda task, rank, place: 1 / task.ranks, "Those are sums of losses, divided by no samples."),
    (
        _last_alone,
        "That is the gradient of the last micro-batch alone. What clears the others?",
    ),
)
"""Weights of a micro-batch's losses, each with what to say of it."""


def cases(rng: np.random.Generator) -> list[Case]:
    """The block alone, and steps of 1 to 8 micro-batches, even and ragged."""
    seeds = iter(rng.integers(2**20, size=16).tolist())

    def draw(label: str, sizes: Sequence[Sequence[int]], *decides: str) -> Case:
        task = MicroTask(tuple(tuple(row) for row in sizes), seed=next(seeds))
        inputs = {"ask": "steps", "task": asdict(task), "seed": next(seeds)}
        return Case(label, inputs, decides)

    props = {"inside": "block", "behind": "block", "nested": "nested", "raised": "nested"}
    blocks = [
        Case(f"a backward: {phase}", {"ask": "block", "phase": phase}, (props[phase],))
        for phase in PHASES
    ]
    every = ("equal", "one-exchange", "one-by-one")
    each, many = int(rng.integers(2, 4)), int(rng.integers(5, 9))
    return [
        *blocks,
        draw("3 ranks, 4 micro-batches", [[each] * 4] * 3, *every),
        draw("2 ranks, 8 micro-batches", [[each] * 8] * 2, *every),
        draw("a single micro-batch", [[many]] * 2, "equal", "one-exchange"),
        draw("micro-batches of different sizes", [[many, many, 1], [many, 2, 3]], "ragged"),
        draw("a rank with one micro-batch less", [[each] * 3, [each] * 2, [each, 1]], "ragged"),
    ]


@lru_cache(maxsize=256)
def _alone(task: MicroTask, weigh: Weigh) -> list[State]:
    return run_alone(task, weigh)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Calls of a backward; or states against the big batch's, and bytes against one exchange's."""
    if case.inputs["ask"] == "block":
        yield from _block_faults(case, observed)
        return
    task = MicroTask.of(case.inputs["task"])
    prop = case.decides[0]
    yield from _step_faults(prop, task, observed["states"])
    if "one-exchange" in case.decides:
        yield from _byte_faults(task, observed["step_bytes"])
    if "one-by-one" in case.decides:
        yield from _size_faults(task, observed["most_samples"])


def _block_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    phase, calls, (prop,) = case.inputs["phase"], observed["calls"], case.decides
    if phase == "inside" and calls:
        yield Fault(
            prop,
            "a backward within `with no_sync(parallel):` exchanged gradients",
            "What does `Parallel.backward` look at, and when does your function change it?",
        )
    if phase == "behind" and not calls:
        yield Fault(
            prop,
            "a backward behind the block exchanged nothing",
            "What stands behind the `yield` runs at the end of the block.",
        )
    if phase == "nested" and calls:
        yield Fault(
            prop,
            "a block within a block: behind the inner one, still in the outer one, a backward "
            "exchanged gradients",
            "At its end a block should put back what it *found*. That need not be True.",
        )
    if phase == "raised" and not observed["came_out"]:
        yield Fault(prop, "an exception in the block did not come out of it", "Who caught it?")
    elif phase == "raised" and not calls:
        yield Fault(
            prop,
            "after an exception in the block, a backward exchanged nothing: the ranks would drift "
            "apart without a word",
            "An exception comes out of the `yield`, and what stands behind it is skipped. Where "
            "does it have to stand to run in any case?",
        )


def _step_faults(prop: str, task: MicroTask, states: Sequence[Sequence[State]]) -> Iterable[Fault]:
    names = names_of(KIND)
    for step, wanted in enumerate(_alone(task, by_samples)):
        scale = max(np.abs(one).max() for one in wanted)
        for rank, mine in enumerate(one[step] for one in states):
            for place, (got, true) in enumerate(zip(mine, wanted, strict=True)):
                off = np.abs(np.nan_to_num(got, nan=np.inf) - true)
                if (off <= REL * scale).all():
                    continue
                at = np.unravel_index(np.argmax(off), off.shape)
                told, expected = show_apart(float(got[at]), float(true[at]))
                message = (
                    f"after step {step + 1}, {names[place]} of rank {rank} is {told} at "
                    f"[{', '.join(map(str, at))}], with the big batch {expected}"
                )
                yield Fault(prop, message, _cause(task, states, step))
                return


def _cause(task: MicroTask, states: Sequence[Sequence[State]], step: int) -> str:
    mine = [one[step] for one in states]
    if any(not _alike(one, mine[0]) for one in mine[1:]):
        return (
            "The ranks are not equal to each other any more: a gradient that came behind the last "
            "exchange stays where it is. Which backward has to exchange?"
        )
    for weigh, says in MISTAKES:
        if _alike(mine[0], _alone(task, weigh)[step]):
            return says
    if step:
        return "The first step was right. What does the second one find in `p.grad`?"
    return ""


def _alike(mine: State, theirs: State) -> bool:
    pairs = zip(mine, theirs, strict=True)
    return all(np.allclose(a, b, rtol=1e-6, atol=1e-7) for a, b in pairs)


def _byte_faults(task: MicroTask, sent: float) -> Iterable[Fault]:
    around = 2 * (task.ranks - 1)
    once = around * gradient_bytes(KIND)
    if sent <= once + around * SMALL_BYTES:
        return
    times = sent / once
    count = len(task.sizes[0])
    cause = (
        "That is an exchange behind every micro-batch. Which of them need not?"
        if count > 1 and round(times) == count
        else "How often, in one step, do your gradients go round?"
    )
    yield Fault(
        "one-exchange",
        f"a step of {count} micro-batches on {task.ranks} ranks sends {format_size(sent)}, "
        f"{times:.1f} times what one exchange sends",
        cause,
    )


def _size_faults(task: MicroTask, most_samples: Sequence[int]) -> Iterable[Fault]:
    for rank, (most, sizes) in enumerate(zip(most_samples, task.sizes, strict=True)):
        if most > max(sizes):
            yield Fault(
                "one-by-one",
                f"one backward of rank {rank} covers {most} samples, its micro-batches have "
                f"{max(sizes)}",
                "What a forward saved stays in memory until its backward, and a shard is taken in "
                "micro-batches since all of it does not fit. Which backward comes behind which "
                "forward?",
            )
            return


JUDGE = Judge(
    title="One exchange for many micro-batches",
    properties=(
        Property("block", "within the block a backward exchanges nothing, behind it it does", 1),
        Property("nested", "a block puts back what it found, after an exception, too", 1),
        Property("equal", "every step is that of one process with the big batch", 1),
        Property("ragged", "and with micro-batches that differ in size and number", 1),
        Property("one-exchange", "a step exchanges its gradients once", 1),
        Property("one-by-one", "each micro-batch has a backward of its own", 1),
    ),
    hints=(
        "`p.grad` adds up what each backward gives, on each rank by itself. When is the first "
        "moment at which all of it is there? And which weight has a sample in the big batch?",
        "All micro-batches but the last within `with no_sync(parallel):`, the last one behind it. "
        "Each loss is a sum over its samples, divided by the samples of all ranks, and times the "
        "number of ranks, since `Parallel` takes a mean. In `no_sync`: keep the flag, clear it, "
        "`try: yield`, `finally:` put it back.",
        "`total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))`, "
        "`dist.all_reduce(total)`, `optimiser.zero_grad()`; a part is "
        '`cross_entropy(parallel.model(x), y, reduction="sum") * dist.get_world_size() / total`, '
        "then `parallel.backward(part)`: in the block for `micro_batches[:-1]`, behind it for the "
        "last one; `optimiser.step()`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=10,
    predictions={
        "no-sync": Prediction(
            "the draft takes the mean over the ranks behind every one of 4 micro-batches, of all "
            "that has added up in `p.grad`. What is the gradient in the end?",
            truth="right",
            choices=("right", "too large", "too small"),
            because="Behind the first exchange all ranks hold the same numbers. The next backward "
            "adds to them, and the mean of `same + own` is `same` plus the mean of `own`. It is "
            "right, and costs four exchanges.",
        )
    },
)
