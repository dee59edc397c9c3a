"""no-sync: a step of several micro-batches on every rank, with one exchange."""

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
)
from gpuedu.exercises.ddp.no_sync.micro_batches import KIND, PHASES, MicroTask
from gpuedu.exercises.ddp.no_sync.micro_batches_alone import run_alone
from gpuedu.exercises.ddp.replica_models import gradient_bytes
from gpuedu.exercises.ddp.replicas import held
from gpuedu.exercises.ranks.properties import Held, right_on_ranks
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest parameter; ratios of whole tensors are float32 in PyTorch."""
SMALL_BYTES = 64
"""A step may send so much beside each rank's gradients: the count of samples."""


def cases(rng: np.random.Generator) -> list[Case]:
    """The block alone, and steps of 1 to 8 micro-batches, even and ragged."""
    seeds = iter(rng.integers(2**20, size=16).tolist())

    def draw(label: str, sizes: Sequence[Sequence[int]], *decides: str) -> Case:
        task = MicroTask(tuple(tuple(row) for row in sizes), seed=next(seeds))
        inputs = {"ask": "steps", "task": asdict(task), "seed": next(seeds)}
        return Case(label, inputs, decides)

    blocks = [
        Case(
            f"a backward: {phase}",
            {"ask": "block", "phase": phase},
            ("block" if phase in ("inside", "behind") else "nested",),
        )
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
        draw("a rank with one micro-batch fewer", [[each] * 3, [each] * 2, [each, 1]], "ragged"),
    ]


_alone = lru_cache(maxsize=64)(run_alone)


def _test_block(case: Case, observed: Plain) -> Iterable[Fault]:
    is_inside, calls = case.inputs["phase"] == "inside", observed["calls"]
    if is_inside and calls:
        told = "a backward pass within `with no_sync(parallel):` exchanged gradients"
        yield Fault("block", told)
    elif not is_inside and not calls:
        yield Fault("block", "a backward pass after the block exchanged nothing")


_QUIET = {
    "innermost": "in the inner one",
    "nested": "after the inner one, still in the outer one",
    "raised within": "after an exception in the inner one, still in the outer one",
}
_RAISES = {"raised": "an exception", "interrupted": "a KeyboardInterrupt"}


def _test_nested(case: Case, observed: Plain) -> Iterable[Fault]:
    phase, calls = case.inputs["phase"], observed["calls"]
    if phase in _QUIET:
        if calls:
            told = f"a block within a block: {_QUIET[phase]}, a backward pass exchanged gradients"
            yield Fault("nested", told)
        return
    if phase in _RAISES and not observed["came_out"]:
        yield Fault("nested", f"{_RAISES[phase]} in the block did not come out of it")
    elif not calls:
        after = f"after {_RAISES[phase]} in the block" if phase in _RAISES else "after two blocks"
        told = f"{after}, a backward pass exchanged nothing: the ranks would drift apart silently"
        yield Fault("nested", told)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    for step, wanted in enumerate(_alone(MicroTask.of(inputs["task"]))):
        for rank, states in enumerate(observed["states"]):
            where = f"after step {step + 1}, on rank {rank}"
            yield from held(where, KIND, states[step], wanted, rel=REL)


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    task, sent = MicroTask.of(case.inputs["task"]), observed["step_bytes"]
    around = 2 * (task.ranks - 1)
    once = around * gradient_bytes(KIND)
    if sent > once + around * SMALL_BYTES:
        yield Fault(
            "one-exchange",
            f"a step of {len(task.sizes[0])} micro-batches on {task.ranks} ranks sends "
            f"{format_size(sent)}, {sent / once:.1f} times what one exchange sends",
        )
    elif not observed["kept"]:
        told = "after the step, the list of micro-batches is not what it was before"
        yield Fault("one-exchange", told)
    elif not observed["is_on"]:
        told = "after the step, `parallel.is_exchanging` is not true, and it was before"
        yield Fault("one-exchange", told)


def _test_sizes(case: Case, observed: Plain) -> Iterable[Fault]:
    pairs = zip(observed["most_samples"], case.inputs["task"]["sizes"], strict=True)
    for rank, (most, sizes) in enumerate(pairs):
        if most > max(sizes):
            told = f"rank {rank} held the forward passes of {most} samples at once"
            yield Fault("one-by-one", f"{told}, and its largest micro-batch has {max(sizes)}")
            return


JUDGE = Judge(
    title="One exchange for many micro-batches",
    properties=(
        Property(
            "block",
            "inside the block, backward passes exchange nothing; after it, they do",
            1,
            "What does `Parallel.backward` look at, and what does it find there in the block, and "
            "after it?",
            _test_block,
        ),
        Property(
            "nested",
            "a block restores what it found, after an exception, too",
            1,
            "What does the block find when it starts, and how does it end: what is restored, and "
            "what comes out of it?",
            _test_nested,
        ),
        right_on_ranks(
            "equal",
            "every step is that of one process with the big batch",
            1,
            _steps,
            asks="How much does each sample count in your update, and what does each rank hold "
            "when `optimizer.step()` runs?",
        ),
        right_on_ranks(
            "ragged",
            "and with micro-batches that differ in size and number",
            1,
            _steps,
            asks="How much does each sample count in your update, and how much in that of the big "
            "batch?",
        ),
        Property(
            "one-exchange",
            "a step exchanges its gradients once, and leaves its list and `parallel` as they were",
            1,
            "How often does your step exchange its gradients, and in what state does it leave the "
            "list and `parallel`?",
            _test_bytes,
        ),
        Property(
            "one-by-one",
            "each micro-batch has its forward pass, then its backward pass",
            1,
            "What a forward pass saved stays in memory until its backward pass, and a shard is "
            "taken in micro-batches since all of it does not fit. Which backward pass comes after "
            "which forward pass?",
            _test_sizes,
        ),
    ),
    hints=(
        "`p.grad` adds up what each backward pass gives, on each rank by itself. When is the first "
        "moment at which all of it is there? And what is a sample's weight in the big batch?",
        "All micro-batches but the last inside `with no_sync(parallel):`, the last one after it. "
        "Each loss is a sum over its samples, divided by the samples of all ranks, and times the "
        "number of ranks, since `Parallel` takes a mean. In `no_sync`: keep the flag, clear it, "
        "`try: yield`, `finally:` restore it.",
        "`total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))`, "
        "`dist.all_reduce(total)`, `optimizer.zero_grad()`; a part is "
        '`cross_entropy(parallel.model(x), y, reduction="sum") * dist.get_world_size() / total`, '
        "then `parallel.backward(part)`: in the block for `micro_batches[:-1]`, after it for the "
        "last one; `optimizer.step()`.",
    ),
    results=("equal", "ragged"),
    apart=("block", "nested"),
    cases=cases,
    seeds=10,
    predictions={
        "no-sync": Prediction(
            "after each of 4 micro-batches, the draft takes the mean over the ranks of all that "
            "has added up in `p.grad`. What is the gradient in the end?",
            truth="right",
            choices=("right", "too large", "too small"),
            because="After the first exchange all ranks hold the same numbers. The next backward "
            "pass "
            "adds to them, and the mean of `same + own` is `same` plus the mean of `own`. It is "
            "right, and costs four exchanges.",
        )
    },
)
