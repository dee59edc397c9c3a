"""sharded-optimizer: ranks that each update a piece, and end as one process does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.ddp.replica_models import build, gradient_bytes
from gpuedu.exercises.ddp.replicas import State, Task, held
from gpuedu.exercises.ranks.properties import (
    Held,
    right_on_ranks,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.sharding.replicas_alone import train_whole
from gpuedu.exercises.sharding.sharded_runs import REL, pieces_of
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.units import format_size

SMALL_BYTES = 96
"""A step may send so much beside gradients and weights of each rank."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Momentum and Adam, models with all that is awkward, and weights that do not divide."""
    each = int(rng.integers(3, 6))
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(label: str, kind: str, ranks: int, *decides: str, optimizer: str = "momentum") -> Case:
        task = Task(kind, ((each,) * ranks,) * 3, next(seeds))
        rule = Rule(optimizer, float(rng.uniform(0.02, 0.08)), float(rng.uniform(0.5, 0.9)))
        inputs = {"task": asdict(task), "rule": asdict(rule), "seed": next(seeds)}
        return Case(label, inputs, decides)

    return [
        draw("3 ranks, 57 weights", "plain", 3, "equal", "share", "bytes"),
        draw("3 ranks, with Adam", "plain", 3, "equal", optimizer="adam"),
        draw("2 ranks, 57 weights", "plain", 2, "ragged", "share", "bytes"),
        draw("8 ranks, 57 weights, with Adam", "plain", 8, "ragged", "share", optimizer="adam"),
        draw("5 ranks, 57 weights", "plain", 5, "ragged"),
        draw("a layer is used twice (tied)", "tied", 3, "shared", "bytes"),
        draw("some weights are frozen", "frozen", 4, "shared", "bytes", optimizer="adam"),
        draw("each rank uses a different head", "heads", 2, "shared"),
        draw("a head that no rank uses is a whole piece", "heads", 6, "shared"),
    ]


@lru_cache(maxsize=64)
def _whole(task: Task, rule: Rule) -> list[State]:
    return train_whole(task, rule)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = Task.of(inputs["task"])
    for step, wanted in enumerate(_whole(task, Rule(**inputs["rule"])), 1):
        for rank, states in enumerate(observed["states"]):
            where = f"after step {step}, on rank {rank}"
            yield from held(where, task.kind, states[step - 1], wanted, rel=REL)


def _trained(case: Case) -> tuple[Task, list[Any]]:
    """What is trained, and its parameters that train."""
    task = Task.of(case.inputs["task"])
    model = build(task.kind, task.seed)
    return task, [one for one in model.parameters() if one.requires_grad]


_RAGGED = right_on_ranks("ragged", "", 1, _steps, asks="")


def _in_pieces(name: str, test: Test) -> Test:
    """The same test, undecided where every rank updates all weights."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        task, trained = _trained(case)
        count, each = sum(one.numel() for one in trained), pieces_of(trained, task.ranks)
        if all(count <= sum(one) <= task.ranks * each for one in observed["pieces"]):
            yield Undecided(name, "every rank updates all weights, so there are no pieces")
        else:
            yield from test(case, observed)

    return tested


def _test_share(case: Case, observed: Plain) -> Iterable[Fault]:
    task, trained = _trained(case)
    most, count = pieces_of(trained, task.ranks), sum(one.numel() for one in trained)
    for rank, sizes in enumerate(observed["pieces"]):
        if sum(sizes) > most:
            yield Fault(
                "share",
                f"on rank {rank} the optimizer keeps numbers for {sum(sizes)} weights; "
                f"{count} on {task.ranks} ranks are at most {most} for each",
            )
            return
    if elsewhere := observed["elsewhere"]:
        yield Undecided(
            "share",
            f"{elsewhere} of {count} weights are not as `update` left them on any rank: what made "
            "them may keep numbers that the check doesn't see",
        )


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    task, sent = Task.of(case.inputs["task"]), observed["step_bytes"]
    whole = gradient_bytes(task.kind)
    yield from undecided_if_silent("bytes", task.ranks, sent)
    padding = task.ranks * 8 * len(list(build(task.kind, task.seed).parameters()))
    if sent > 2 * (task.ranks - 1) * (whole + padding + SMALL_BYTES):
        least = 2 * (task.ranks - 1) * whole
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {task.ranks} ranks; a reduce-scatter of the "
            f"gradients and an all-gather of the weights send {format_size(least)}",
        )


JUDGE = Judge(
    title="An optimizer in pieces",
    properties=(
        right_on_ranks(
            "equal",
            "after every step all ranks have the weights of one process with the whole batch",
            2,
            _steps,
            asks="Which gradient does `update` get on each rank, and which weights does every rank "
            "have when `step` returns?",
        ),
        Property(
            "ragged",
            "and when the number of weights isn't a multiple of the ranks",
            1,
            "Where does each rank's piece start and end, and what happens to the padding?",
            _in_pieces("ragged", _RAGGED.test),
            after=("equal",),
        ),
        right_on_ranks(
            "shared",
            "and with tied, frozen and unused weights",
            1,
            _steps,
            asks="Which weights are updated at all, and what do you take as the gradient of one "
            "that this rank did not use?",
            after=("equal",),
        ),
        Property(
            "share",
            "no rank's optimizer keeps states for more than its share of the weights",
            2,
            "For which weights does each rank call `update`?",
            undecided_if_wrong("share", _steps, _test_share),
        ),
        Property(
            "bytes",
            "a step sends no more than an all-reduce of the gradients would",
            1,
            "What does each rank need of the gradients, and what of the weights?",
            _in_pieces("bytes", undecided_if_wrong("bytes", _steps, _test_bytes)),
        ),
    ),
    hints=(
        "Make one long tensor of all gradients, in a fixed order, and pad it with zeros until its "
        "length is a multiple of the ranks. Which part of it is yours?",
        "`dist.reduce_scatter_tensor(piece, whole)` adds up over the ranks, and leaves each rank "
        "its piece. Cut the same piece out of the weights, update it, and "
        "`dist.all_gather_into_tensor(whole, piece)` brings all pieces to all ranks.",
        "`each = math.ceil(total / ranks)`; `flat = torch.cat([...])`, and "
        "`torch.nn.functional.pad(flat, (0, each * ranks - total))`. The sum over the ranks "
        "divided by their number is the mean. At the end copy each weight back, under "
        "`torch.no_grad()`: `w.copy_(whole[at : at + w.numel()].view_as(w))`.",
    ),
    cases=cases,
    seeds=3,
    varies=("elsewhere",),
    predictions={
        "sharded-optimizer": Prediction(
            "an all-reduce of the gradients is a reduce-scatter and an all-gather. A step "
            "reduce-scatters the gradients and all-gathers weights of the same size instead. How "
            "many times the bytes of the all-reduce does it send?",
            exact=True,
            truth=1,
            unit="times",
            because="Half of an all-reduce is the reduce-scatter. The other half, the all-gather, "
            "now brings the new weights instead of the gradients.",
        ),
    },
)
