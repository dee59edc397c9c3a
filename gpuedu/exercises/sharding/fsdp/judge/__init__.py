"""fsdp: weights that are gathered, used and freed, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from itertools import pairwise

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
from gpuedu.exercises.ranks.properties import Held, right_on_ranks, undecided_if_wrong
from gpuedu.exercises.sharding.fsdp.flat_layers import BACKWARD
from gpuedu.exercises.sharding.fsdp.fsdp_runs import SIZE, FsdpTask
from gpuedu.exercises.sharding.fsdp.layers_alone import train_whole_layers, whole_from
from gpuedu.units import MS, format_size

REL = 1e-9
SLACK = 1.02


def cases(rng: np.random.Generator) -> list[Case]:
    """Layers that compute longer than their weights travel, and shorter; sizes with padding."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(
        label: str, ranks: int, *decides: str, layers: int = 5, wide: int = 7, ms: float = 1.0
    ) -> Case:
        widths = tuple(rng.integers(wide - 2, wide + 3, size=layers + 1).tolist())
        times_s = tuple((ms * MS * rng.uniform(0.8, 1.2, size=layers)).tolist())
        task = FsdpTask(widths, times_s, ranks, 0.02 * MS, 1e6, seed=next(seeds))
        return Case(label, {"task": asdict(task), "seed": next(seeds)}, decides)

    return [
        draw("4 ranks, 5 layers", 4, "equal", "peak", "waits", "bytes"),
        draw("3 ranks, 5 layers", 3, "equal", "peak", "waits", "bytes"),
        draw("2 ranks, a network that takes longer", 2, "equal", "peak", "waits", wide=16, ms=0.3),
        draw("8 ranks, 3 layers", 8, "equal", "peak", "bytes", layers=3),
        draw("5 ranks, 2 layers", 5, "equal", "peak", "waits", layers=2),
        draw("2 ranks, 1 layer", 2, "equal", "bytes", layers=1),
    ]


@lru_cache(maxsize=64)
def _whole(task: FsdpTask) -> list[np.ndarray]:
    return train_whole_layers(task)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = FsdpTask.of(inputs["task"])
    for number, wanted in enumerate(_whole(task)):
        got = whole_from([one[number] for one in observed["pieces"]], task)
        room = REL * np.abs(wanted).max()
        ends = np.cumsum(task.counts)[:-1]
        parts = zip(np.split(got, ends), np.split(wanted, ends), strict=True)
        for layer, (mine, true) in enumerate(parts):
            where = f"after step {number + 1}, of layer {layer}"
            yield Held(where, "weights", mine, true, room)


def least_peak(task: FsdpTask) -> int:
    """Numbers of a layer's weights and gradient, and of the weights of the layer before it."""
    full = [task.ranks * each for each in task.pieces]
    return max(before + 2 * size for before, size in pairwise([0, *full]))


def best_step_s(task: FsdpTask) -> float:
    """A step in which each gather but the first passes while a layer computes."""
    gathers_s = [(task.ranks - 1) * task.link.time_s(SIZE * each) for each in task.pieces]
    time_s = gathers_s[0]
    for at, compute_s in enumerate(task.times_s):
        ahead_s = gathers_s[at + 1] if at + 1 < len(gathers_s) else 0.0
        time_s += max(compute_s, ahead_s)
    for at in reversed(range(len(gathers_s))):
        ahead_s = gathers_s[at - 1] if at else 0.0
        time_s += max(BACKWARD * task.times_s[at], ahead_s) + gathers_s[at]
    return time_s


def _test_peak(case: Case, observed: Plain) -> Iterable[Fault]:
    task = FsdpTask.of(case.inputs["task"])
    most = least_peak(task)
    for rank, (peak, left) in enumerate(zip(observed["peaks"], observed["left"], strict=True)):
        if left:
            yield Fault(
                "peak",
                f"on rank {rank}, buffers of {left} numbers are not freed after {task.steps} steps",
            )
            return
        if peak > most:
            yield Fault(
                "peak",
                f"on rank {rank}, buffers have {peak} numbers at once; a layer's weights and "
                f"gradient with the weights of the layer before it are at most {most}",
            )
            return


def _test_waits(case: Case, observed: Plain) -> Iterable[Fault]:
    task = FsdpTask.of(case.inputs["task"])
    best_s, took_s = best_step_s(task), observed["step_s"]
    if took_s > SLACK * best_s:
        yield Fault(
            "waits",
            f"a step took {took_s / MS:.4g} ms of simulated time; where each layer's weights "
            f"travel while another one computes, it takes {best_s / MS:.4g} ms",
        )


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    task, sent = FsdpTask.of(case.inputs["task"]), observed["step_bytes"]
    told = f"a step sends {format_size(sent)} on {task.ranks} ranks, and {_least_told(task)}"
    if sent < _least_bytes(task):
        yield Fault("bytes", f"{told}: some weights were kept outside of the buffers")
    elif sent > _least_bytes(task):
        yield Fault("bytes", told)


def _where_all_was_sent(name: str, test: Test) -> Test:
    """The same test, undecided where fewer bytes were sent than it takes."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        least = _least_bytes(FsdpTask.of(case.inputs["task"]))
        if observed["step_bytes"] < least:
            yield Undecided(name, "a step sends less than it takes, so some weights never travel")
        else:
            yield from test(case, observed)

    return undecided_if_wrong(name, _steps, tested)


def _least_bytes(task: FsdpTask) -> int:
    gathers = 2 * sum(task.pieces) - task.pieces[-1]
    return SIZE * task.ranks * (task.ranks - 1) * (gathers + sum(task.pieces))


def _least_told(task: FsdpTask) -> str:
    return (
        "to gather all layers for the forward pass, all but the last one again for the backward "
        f"pass, and to reduce all gradients, takes {format_size(_least_bytes(task))}"
    )


JUDGE = Judge(
    title="Gather, use, free",
    properties=(
        right_on_ranks(
            "equal",
            "after every step the pieces are those of one process with the whole batch",
            2,
            _steps,
            asks="Which weights does the layer compute with, and whose gradients are in the piece "
            "that you return?",
        ),
        Property(
            "peak",
            "no rank has more at once than two layers' weights and one gradient",
            2,
            "Which buffers are there while a layer computes, and which of them are still needed?",
            _where_all_was_sent("peak", _test_peak),
        ),
        Property(
            "waits",
            "weights travel while other layers compute",
            2,
            "When does each gather start, and what does the rank do until it is done?",
            _where_all_was_sent("waits", _test_waits),
        ),
        Property(
            "bytes",
            "each layer is gathered and reduced exactly as often as needed",
            1,
            "How often is each layer gathered, and how often does it need to be?",
            undecided_if_wrong("bytes", _steps, _test_bytes),
        ),
    ),
    hints=(
        "Before a layer computes, call `gather` for the layer that comes next. What has arrived "
        "when it is that layer's turn, and what has to be waited for?",
        "Keep what `gather` returns until the next round: `weights, work = ahead`, `work.wait()`, "
        "then gather the next layer into `ahead`, compute with `weights`, and free them. Which "
        "layer has no next one?",
        "Going back, the layer that comes next is `k - 1`. After `backward`, free the weights, "
        "call `dist.reduce_scatter_tensor(gradients[k], whole, op=dist.ReduceOp.AVG)`, and free "
        "`whole`; then wait for the next layer.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "fsdp": Prediction(
            "data parallelism sends 2 bytes of gradient twice for each parameter, in a "
            "reduce-scatter and an all-gather. How many times as many bytes does fully sharded "
            "training send if the weights, also 2 bytes each, are gathered for each pass?",
            exact=True,
            truth=1.5,
            unit="times",
            because="Two gathers of the weights and one reduce-scatter of the gradients, instead "
            "of one of each: three instead of two. The last layer, which is needed twice in a "
            "row, saves a little.",
        ),
    },
)
