"""torch-ddp: DistributedDataParallel in real processes, held against one process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp_in_practice.torch_ddp.judge.torch_ddp_epochs import epoch_faults
from gpuedu.exercises.ddp_in_practice.torch_ddp.judge.torch_ddp_trainings import (
    accuracy_faults,
    training_faults,
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Three launches of two or three ranks, each with several runs."""
    seeds = iter(rng.integers(2**20, size=16).tolist())
    full, batch, more = (int(one) for one in (rng.integers(3, 6), *rng.integers(2, 4, 2)))
    odd = int(rng.choice([7, 8, 11]))

    def epoch(decides: str, every: int, sizes: Sequence[int]) -> dict[str, Any]:
        return {"decides": decides, "every": every, "sizes": list(sizes), "seed": next(seeds)}

    def training(samples: int, epochs: int, size: int, every: int) -> dict[str, Any]:
        sizes = {"samples": samples, "epochs": epochs, "batch": size, "every": every}
        return sizes | {"seed": next(seeds)}

    def evaluation(samples: int, wrong: list[int]) -> dict[str, Any]:
        return {"samples": samples, "wrong": wrong, "batch": batch, "seed": next(seeds)}

    epochs = [
        epoch("equal", 2, [full] * 4),
        epoch("equal", 1, [full] * 2),
        epoch("short", more, [full] * (more + 1)),
        epoch("short", 3, [full, full, 1]),
        epoch("short", 2, [full] * 3 + [2, 1]),
    ]
    # Groups are full here, so that a slip in a short one costs nothing twice.
    trainings = [training(24 * batch - 1, 3, 2 * batch, 2), training(6 * full, 2, full, 1)]
    evaluations = [evaluation(odd, [0]), evaluation(1, [])]
    asked = {
        "epoch": ("`train_epoch`", epochs, 2, ("equal", "short", "by-batch", "once", "loss")),
        "train": ("`train`, models that differ by rank", trainings, 3, ("epochs", "alike", "loss")),
        "accuracy": ("`accuracy`", evaluations, 3, ("accuracy",)),
    }
    return [
        Case(f"{label}, {ranks} ranks", {"ask": ask, "tasks": tasks, "ranks": ranks}, decides)
        for ask, (label, tasks, ranks, decides) in asked.items()
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """By what was asked."""
    tasks, ranks = case.inputs["tasks"], observed["ranks"]
    if case.inputs["ask"] == "epoch":
        return epoch_faults(tasks, ranks, observed["own_bytes"])
    faults_of = {"train": training_faults, "accuracy": accuracy_faults}[case.inputs["ask"]]
    return chain.from_iterable(
        faults_of(task, [mine[place] for mine in ranks]) for place, task in enumerate(tasks)
    )


JUDGE = Judge(
    title="PyTorch's own DDP",
    properties=(
        Property(
            "equal",
            "every update is that of one process with all ranks' samples",
            1,
            "How much does a sample count in an update, and when is there an update?",
        ),
        Property(
            "short",
            "and where the last group or batch is shorter",
            1,
            "How much does a sample count in a short group, or in a short batch, and when does a "
            "short group get its update?",
        ),
        Property(
            "by-batch",
            "each batch has its forward pass, then its backward pass",
            1,
            "What a forward pass saved stays in memory until its backward pass, and only one batch "
            "fits. Which backward pass comes after which forward pass?",
            after=("equal",),
        ),
        Property(
            "once",
            "a group's gradients are exchanged once, by DistributedDataParallel",
            1,
            "Which backward pass of a group exchanges, and what else does a rank hand over?",
        ),
        Property(
            "loss",
            "the loss is the mean over the samples of all ranks, on every rank",
            1,
            "Whose losses are in that number, from which forward pass, and by what are they "
            "divided?",
        ),
        Property(
            "epochs",
            "an epoch draws every sample, in its own order",
            1,
            "Which samples does each rank draw in an epoch, and in which order in the next?",
        ),
        Property(
            "alike",
            "all ranks end with one state: that of one process with the same draws",
            1,
            "Which model trains, on which batches, by which optimizer, and whose state is "
            "returned?",
        ),
        Property(
            "accuracy",
            "an accuracy counts every sample once, and all ranks know it",
            1,
            "Which samples does each rank count, and what do the ranks do with their counts?",
        ),
    ),
    hints=(
        "Which of these does DistributedDataParallel do for you: give every rank rank 0's model, "
        "average gradients, give each rank its samples, average losses? The rest is yours.",
        "Take the batches in slices of `every`. A batch's loss is its *sum*, divided by the "
        "samples of the slice; all but the last go, forward and backward, into "
        "`with ddp.no_sync():`. Add up sums of losses and counts, and all-reduce both at the end. "
        "`train` needs a DistributedSampler that is told each epoch's number; `accuracy` needs "
        "none: rank r takes samples r, r + ranks, ...",
        "`for begin in range(0, len(batches), every): group = batches[begin : begin + every]`, "
        "`samples = sum(len(y) for _, y in group)`; for each place of the group "
        "`with ddp.no_sync() if place < len(group) - 1 else nullcontext():` "
        "`loss = cross_entropy(ddp(x), y, reduction='sum')`, `(loss / samples).backward()`. "
        "In `train`: `sampler = DistributedSampler(data)`, `DataLoader(data, batch, "
        "sampler=sampler)`, `sampler.set_epoch(epoch)`, `ddp.module.state_dict()`. In `accuracy`: "
        "`Subset(data, range(rank, len(data), ranks))`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=2,
    predictions={
        "torch-ddp-draft": Prediction(
            "a script for one GPU is started on two ranks, as it is. What do you get?",
            truth="two models",
            choices=("one model, in half the time", "one model, in the same time", "two models"),
            because="Nothing in it talks to another process: each trains its own model on all "
            "samples. If both had the same random state, it would be the same model, twice.",
        ),
        "torch-ddp": Prediction(
            "103 samples on two ranks, batches of 8, groups of 4. How often does a rank exchange "
            "its gradients in an epoch?",
            truth=2,
            exact=True,
            because="Each rank draws 52 samples: six batches of 8 and one of 4. That is a group of "
            "four and one of three.",
        ),
    },
)
