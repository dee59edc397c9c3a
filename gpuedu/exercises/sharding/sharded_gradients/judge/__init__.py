"""sharded-gradients: gradients that are whole for one layer at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import (
    Held,
    right_on_ranks,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.sharding.chains import ChainTask, build_chain
from gpuedu.exercises.sharding.sharded_gradients.chain_alone import train_whole_chain
from gpuedu.exercises.sharding.sharded_gradients.gradient_runs import (
    Moment,
    State,
    names_of,
    piece_size,
    size_of,
)
from gpuedu.exercises.sharding.updates import Rule
from gpuedu.units import format_size

REL = 1e-6
SIZE = 8
"""Bytes of a number: float64."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Layers of all sizes, one micro-batch and several, frozen and unused weights."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(label: str, ranks: int, *decides: str, kind: str = "plain", parts: int = 1) -> Case:
        widths = (*rng.integers(3, 7, size=4).tolist(), 3)
        task = ChainTask(widths, ranks, kind, parts=parts, seed=next(seeds))
        rule = Rule("momentum", float(rng.uniform(0.02, 0.08)), float(rng.uniform(0.5, 0.9)))
        inputs = {"task": asdict(task), "rule": asdict(rule), "seed": next(seeds)}
        return Case(label, inputs, decides)

    return [
        draw("4 ranks", 4, "equal", "freed", "bytes"),
        draw("3 ranks", 3, "equal", "freed", "bytes"),
        draw("8 ranks", 8, "equal", "freed"),
        draw("2 ranks, 3 micro-batches", 2, "adds", "freed", "bytes", parts=3),
        draw("5 ranks, 2 micro-batches", 5, "adds", parts=2),
        draw("some weights are frozen", 3, "unused", "freed", "bytes", kind="frozen"),
        draw("each rank uses a different head", 2, "unused", "freed", kind="heads", parts=2),
        draw("one rank skips a layer", 2, "unused", kind="skipped"),
    ]


@lru_cache(maxsize=64)
def _whole(task: ChainTask, rule: Rule) -> list[State]:
    return train_whole_chain(task, rule)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = ChainTask.of(inputs["task"])
    names = names_of(task)
    for step, wanted in enumerate(_whole(task, Rule(**inputs["rule"])), 1):
        room = REL * max(np.abs(one).max() for one in wanted)
        for rank, states in enumerate(observed["states"]):
            for name, got, true in zip(names, states[step - 1], wanted, strict=True):
                yield Held(f"after step {step}, on rank {rank}", name, got, true, room)


def _test_freed(case: Case, observed: Plain) -> Iterable[Fault]:
    for rank, rows in enumerate(observed["moments"]):
        for moment in (Moment(*row) for row in rows.tolist()):
            if moment.left:
                yield Fault(
                    "freed",
                    f"on rank {rank}, {moment.left} numbers of whole gradients are left when "
                    f"`reduce_layer` returns for layer {moment.layer}, expected none",
                )
                return


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    task, sent = ChainTask.of(case.inputs["task"]), observed["step_bytes"]
    layers = build_chain(task)
    padded = SIZE * task.ranks * sum(piece_size(layer, task.ranks) for layer in layers)
    least = (task.ranks - 1) * padded * (task.parts + 1)
    # The play gathers the weights itself: that is one part of these.
    yield from undecided_if_silent("bytes", task.ranks, sent > least / (task.parts + 1))
    if sent > least:
        count = sum(map(size_of, layers))
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {task.ranks} ranks; with one reduce-scatter for "
            f"each layer and micro-batch, of {count} numbers and padding, it is "
            f"{format_size(least)}, the all-gather of the weights included",
        )


JUDGE = Judge(
    title="Gradients in pieces",
    properties=(
        right_on_ranks(
            "equal",
            "after every step all ranks have the weights of one process with the whole batch",
            2,
            _steps,
            asks="What is in `piece` on each rank when `reduce_layer` returns?",
        ),
        right_on_ranks(
            "adds",
            "and with several micro-batches in a step",
            1,
            _steps,
            asks="What is in `piece` before the second micro-batch, and what after it?",
            after=("equal",),
        ),
        right_on_ranks(
            "unused",
            "and with frozen and unused weights",
            1,
            _steps,
            asks="Which of the weights are in `piece`, and what do you take as the gradient of one "
            "that this rank did not use?",
            after=("equal",),
        ),
        Property(
            "freed",
            "no whole gradient is left when `reduce_layer` returns",
            2,
            "Which tensors hold gradients of this layer when it returns?",
            undecided_if_wrong("freed", _steps, _test_freed),
        ),
        Property(
            "bytes",
            "a layer sends no more than one reduce-scatter",
            1,
            "What does each rank need of the sum, and what does it get?",
            undecided_if_wrong("bytes", _steps, _test_bytes),
        ),
    ),
    hints=(
        "Join the layer's gradients into one long tensor, and pad it until each rank's part is as "
        "long as `piece`. Which collective adds up over the ranks, and leaves each its part?",
        "`dist.reduce_scatter_tensor(mine, whole)` overwrites `mine`, so give it its own tensor, "
        "and add that to `piece`. A gradient is freed when nothing refers to it.",
        "`whole = torch.nn.functional.pad(flat, (0, ranks * len(piece) - len(flat)))`, "
        "`piece += mine / ranks`, and at the end `w.grad = None` for each weight.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "sharded-gradients": Prediction(
            "a step has 4 micro-batches. In stage 1, a rank adds up their gradients and reduces "
            "the sum once. In stage 2, it reduces each layer's gradient as soon as it's there, in "
            "every micro-batch. How many times as many bytes of gradients does it send?",
            exact=True,
            truth=4,
            unit="times",
            because="Gradients that wait for the next micro-batch have to be whole. In "
            "pieces, each micro-batch has to be reduced by itself.",
        ),
    },
)
