"""survive: ranks are killed, and the run ends as if nobody had been."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from itertools import product

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.judge.survival_files import disk_faults, every_faults
from gpuedu.exercises.ddp_in_practice.survive.judge.survival_states import (
    place_faults,
    random_faults,
    state_faults,
    whole_faults,
)
from gpuedu.exercises.ddp_in_practice.survive.planted_deaths import Plan
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story


def cases(rng: np.random.Generator) -> list[Case]:
    """One run with three deaths; where they are, and how long it is, is drawn."""
    plans = _plans()
    epochs, steps, every, kept = plans[int(rng.integers(len(plans)))]
    shape = Shape(epochs, steps, int(rng.integers(2**20)))
    died = kept + 1 + int(rng.integers(every - 1))
    plan = Plan(died, int(rng.integers(2)), kept + 2 * every, kept + 3 * every)
    inputs = {"shape": asdict(shape), "every": every, "plan": asdict(plan)}
    label = f"{epochs} epochs of {steps} steps, a checkpoint every {every}, 3 deaths"
    return [Case(label, inputs)]


@lru_cache(maxsize=1)
def _plans() -> list[tuple[int, int, int, int]]:
    """Epochs, steps of each, steps between checkpoints, and the last one before the first death.

    Checkpoints lie within epochs, counting in an epoch is not counting in the run, and the last
    step of the run has a checkpoint of its own.
    """
    return [
        (epochs, steps, every, kept)
        for epochs, steps, every in product((3, 4), (5, 6, 7), (3, 4, 5))
        for kept in range(every, epochs * steps, every)
        if kept > steps
        and kept % steps
        and epochs * steps % every
        and kept + 3 * every < epochs * steps
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """What was written and where it went on, from the diaries; failures where they belong."""
    shape, every = Shape(**case.inputs["shape"]), case.inputs["every"]
    story = Story(observed["entries"])
    yield from every_faults(story, shape, every)
    yield from disk_faults(story)
    if observed["failure"] and observed["attempt"] == 1:
        told = f"started again after a rank was killed in a step: {observed['failure']}"
        for prop in ("place", "state", "random", "whole"):
            yield Fault(prop, told, observed["remedy"])
        return
    place = list(place_faults(story, shape))
    failed = observed["failure"], observed["remedy"]
    whole: list[Fault] = list(whole_faults(story, *failed, is_placed=not place))
    if place and whole and not observed["failure"]:
        told = "after a death in a step it went on with the wrong step, so this says nothing yet"
        whole = [Undecided("whole", told)]
    faults = [*place, *state_faults(story), *random_faults(story), *whole]
    yield from faults
    if not faults:
        yield from _end_faults(story)


def _end_faults(story: Story) -> Iterable[Fault]:
    wanted = {one["rank"]: one["weights"] for one in story.of("unbroken", "end")}
    for one in story.of("broken", "end"):
        if one["weights"] != wanted[one["rank"]]:
            told = f"rank {one['rank']} ends with different weights than in the unbroken run"
            asks = (
                "After which restart do they diverge? Does everything that a restart loads come "
                "from the same step?"
            )
            yield Fault("state", told, asks)
            return


JUDGE = Judge(
    title="A rank is killed, and nothing is lost",
    properties=(
        Property(
            "every",
            "a checkpoint every `every` steps, and a complete run trains no further",
            1,
            asks="When is it time for a checkpoint, counted over the whole run, and what does a "
            "run do if it finds that it is complete?",
        ),
        Property(
            "place",
            "it continues after the last checkpoint: no batch twice, none left out",
            2,
            asks="Which step is the next one after a checkpoint, and in which epoch and batch is "
            "it?",
        ),
        Property(
            "state",
            "each restart starts with the weights, momentum, and rate that were saved",
            2,
            asks="What do the model, the optimizer, and the schedule keep from one step to the "
            "next, and does every rank load all of it?",
        ),
        Property(
            "random",
            "and each rank with its own random state",
            1,
            asks="Each rank draws its own numbers. Whose state is in the checkpoint, from which "
            "moment, and which rank sets which?",
        ),
        Property(
            "whole",
            "a death while a checkpoint is written leaves the one before it",
            1,
            asks="Stop between any two lines of `save`, and between two calls of it: is there a "
            "whole checkpoint under the name that `train_job` looks for, and is it the same one "
            "for all ranks?",
        ),
        Property(
            "disk",
            "one rank writes a file, which is on disk before it has its name; other files stay",
            1,
            asks="Which rank writes which file, and what is sure to be on the disk when the file "
            "gets its name?",
        ),
    ),
    hints=(
        "Imagine that you stop between any two lines: what is in the folder, and what would each "
        "rank need to continue from there? Which part is the same on all ranks, and which is not?",
        "`save`: write under a different name next to it, `os.fsync`, then give it its name. "
        "`train_job`: count the steps of the whole run; epoch and place in it follow from that "
        "number. In the checkpoint: three `state_dict()`s, the number, and a list with every "
        "rank's random state, from `dist.all_gather_object`. All ranks gather, rank 0 saves, all "
        "load.",
        "`with waiting.open('wb') as file: torch.save(state, file); "
        "os.fsync(file.fileno())`, then `waiting.replace(path)`. In `train_job`: `while done < "
        "job.epochs * job.steps: epoch, place = divmod(done, job.steps); "
        "job.step(job.batches(epoch)[place]); done += 1`, and where `done % every == 0` or it was "
        "the last: `random = [None] * dist.get_world_size()`, `dist.all_gather_object(random, "
        "torch.get_rng_state())`, and on rank 0 `save(...)`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=3,
    predictions={
        "survive": Prediction(
            "checkpoints every 30 steps, and a rank is killed in step 200 of the run. How many "
            "finished steps are lost?",
            truth=19,
            unit="steps",
            because="199 were finished, and the last checkpoint was after 180. The other ranks "
            "had done nothing wrong, and lose the same 19.",
            exact=True,
        ),
        "survive-momentum": Prediction(
            "SGD with momentum 0.9, gradients that hardly change. After a restart the weights are "
            "right, and the optimizer is new. How many times too small is its first step?",
            truth=10,
            unit="times",
            because="In the long run the sum is g + 0.9 g + 0.81 g + ... = 10 g. A new optimizer "
            "starts with g, and takes some 20 steps to get near 10 g again.",
        ),
    },
    # What is left of an observation says nothing of a slip, so no stored answer asks a question:
    # diaries tell what happened, and questions are about that.
    varies=("entries",),
)
