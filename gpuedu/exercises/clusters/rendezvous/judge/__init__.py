"""rendezvous: a training whose workers come and go, held against one process that nobody stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from gpuedu.exercises.clusters.rendezvous.elastic_job import Shape
from gpuedu.exercises.clusters.rendezvous.judge.life_faults import (
    order_faults,
    save_faults,
    start_faults,
    weight_faults,
)
from gpuedu.exercises.clusters.rendezvous.judge.life_story import Alone, Story
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided

_IN_LIVES = ("start", "goes-on", "saves", "equal")
_NAMES = "abcdefgh"
_WORLDS = (((4, 3, 4, 2), ("dies", "joins", "dies")), ((1, 3, 2, 5), ("joins", "dies", "joins")))


def cases(rng: np.random.Generator) -> list[Case]:
    """Batches and shares by themselves, and three trainings in several lives.

    One of those is stopped before its first checkpoint.
    """
    shape = _shape(rng)
    done = [batch * shape.batch for batch in range(3)]
    last = shape.samples // shape.batch * shape.batch
    done += [last] + [shape.samples + one for one in done] + [2 * shape.samples + last]
    batches = {"ask": "batches", "shape": asdict(shape), "done": done}
    found = [
        Case("`next_batch` through three epochs", batches, ("batches",)),
        Case("`shares` on 1 to 5 workers", {"ask": "shares", "calls": _calls(rng)}, ("shares",)),
    ]
    for is_exact, (worlds, ends) in enumerate(_WORLDS):
        lives, shape = _lives(rng, worlds, ends), _shape(rng)
        told = ", ".join(map(str, worlds))
        every = _every(shape, is_exact=bool(is_exact))
        found.append(_in_lives(rng, f"lives with {told} workers", shape, every, lives))
    early, shape = _lives(rng, (3, 2), ("dies",)), _shape(rng)
    early[0] |= {"act": "step", "count": 1}
    told, every = "a death before the first checkpoint", _every(shape, is_exact=True)
    return [*found, _in_lives(rng, told, shape, every, early)]


def _every(shape: Shape, *, is_exact: bool) -> int:
    """Two whole batches; or one more than a whole and a small one, so that one too many counts."""
    return 2 * shape.batch if is_exact else shape.batch + shape.samples % shape.batch + 1


def _shape(rng: np.random.Generator) -> Shape:
    """The last batch of an epoch is smaller than there are workers, at times."""
    batch = int(rng.integers(10, 14))
    samples = 3 * batch + int(rng.integers(1, 4))
    return Shape(samples, batch, int(rng.integers(3, 5)), 3, int(rng.integers(2**20)))


def _calls(rng: np.random.Generator) -> list[list[Any]]:
    """Arguments of `shares` but the rank: whole and small batches; parts that are full or not."""
    sizes = ((12, 4, 4), (12, 3, 4), (12, 2, 4), (12, 1, 5), (13, 4, 3), (11, 3, 2), (2, 4, 4))
    sizes += ((1, 5, 3), (14, 4, 3), (int(rng.integers(15, 20)), 3, 3))
    return [[rng.permutation(50)[:size].tolist(), world, fits] for size, world, fits in sizes]


def _lives(rng: np.random.Generator, worlds: tuple[int, ...], ends: tuple[str, ...]) -> list[Any]:
    """A life for each world size; and one of a run that is complete."""
    found: list[dict[str, Any]] = []
    for life, world in enumerate((*worlds, worlds[-1])):
        is_last = life >= len(ends)
        act = str(rng.choice(["step", "step", "gradient" if world > 2 else "step", "save"]))
        found.append(
            {
                "workers": [str(one) for one in rng.permutation(list(_NAMES))[:world]],
                "end": "" if is_last else ends[life],
                "rank": 0 if act == "save" else int(rng.integers(world)),
                "act": act,
                "count": 1 if act == "save" else int(rng.integers(2, 4)),
            }
        )
    return found


def _in_lives(
    rng: np.random.Generator, label: str, shape: Shape, every: int, lives: list[Any]
) -> Case:
    seed = int(rng.integers(2**20))
    inputs = {"ask": "lives", "shape": asdict(shape), "every": every, "lives": lives, "seed": seed}
    return Case(f"{label}, a checkpoint every {every} samples", inputs, _IN_LIVES)


@lru_cache(maxsize=8)
def _alone(shape: tuple[int, ...]) -> Alone:
    return Alone(Shape(*shape))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """What is wrong with batches, with shares, or with lives of a training."""
    inputs = case.inputs
    if inputs["ask"] == "batches":
        yield from _batch_faults(inputs, observed["batches"])
        return
    if inputs["ask"] == "shares":
        for call, parts in zip(inputs["calls"], observed["parts"], strict=True):
            told = _told_shares(*call, parts)
            if told:
                yield Fault("shares", told)
                return
        return
    story = Story.of(observed, _alone(tuple(inputs["shape"].values())), inputs["lives"])
    if observed["failure"]:
        yield from _failure_faults(story, inputs["every"], observed)
        return
    if not any(story.steps(life) for life in range(story.lived)):
        told = "no worker trained anything"
        yield from (Undecided(prop, told) for prop in _IN_LIVES if prop != "goes-on")
        yield Fault("goes-on", told)
        return
    yield from start_faults(story)
    yield from _if_learned(story, "goes-on", order_faults(story))
    yield from _if_learned(story, "saves", save_faults(story, inputs["every"]))
    yield from weight_faults(story)


def _if_learned(story: Story, prop: str, faults: Iterable[Fault]) -> Iterator[Fault]:
    """These faults, or that nothing is shown by steps that leave all weights as they were."""
    found = list(faults)
    yield from found
    if not found and not story.has_learned():
        yield Undecided(prop, "no step took the weights to other numbers")


def _failure_faults(story: Story, every: int, observed: Plain) -> Iterator[Fault]:
    """Of a training that failed: in its first life it shows nothing, later what came before."""
    told = f"{story.named(observed['life'])}: {observed['failure']}"
    if not observed["life"]:
        yield from (Undecided(prop, told, observed["remedy"]) for prop in _IN_LIVES)
        return
    yield from start_faults(story)
    yield from _if_learned(story, "saves", save_faults(story, every))
    yield from (Fault(prop, told, observed["remedy"]) for prop in ("goes-on", "equal"))


def _batch_faults(inputs: Any, batches: list[list[int]]) -> Iterator[Fault]:
    shape = Shape(**inputs["shape"])
    alone = _alone(tuple(inputs["shape"].values()))
    for done, got in zip(inputs["done"], batches, strict=True):
        epoch, place = divmod(done, shape.samples)
        first = epoch * ceil(shape.samples / shape.batch) + place // shape.batch
        wanted = alone.batches[first]
        if sorted(got) != sorted(wanted):
            told = f"{done} of {shape.samples} samples an epoch are done, {shape.batch} a batch"
            yield Fault("batches", f"{told}: expected {wanted}, got {got[: 2 * shape.batch]}")
            return


def _told_shares(batch: list[int], world: int, fits: int, parts: list[list[list[int]]]) -> str:
    """What is wrong with the parts of all ranks; "" for nothing."""
    where = f"a batch of {len(batch)} for {world} {'worker' if world == 1 else 'workers'}"
    mine = [[one for part in own for one in part] for own in parts]
    whole = sorted(one for own in mine for one in own)
    sizes = [len(own) for own in mine]
    if whole != sorted(batch):
        lost = len(set(batch) - set(whole))
        twice = len(whole) - len(set(whole))
        told = [f"nobody trains {lost} of its samples"] * bool(lost)
        told += [f"{twice} are trained more than once"] * bool(twice)
        return f"{where}: {', '.join(told) or 'a sample is from outside the batch'}"
    if max(sizes) - min(sizes) > 1:
        return f"{where}: the ranks get {', '.join(map(str, sizes))} samples"
    for rank, own in enumerate(parts):
        longest = max(map(len, own), default=0)
        if longest > fits:
            return f"{where}, {fits} fit: rank {rank} has a part of {longest}"
        if len(own) > max(1, ceil(sizes[rank] / fits)):
            told = f"{where}, {fits} fit: rank {rank} has {sizes[rank]} samples in {len(own)} parts"
            return f"{told} of {', '.join(str(len(part)) for part in own)}"
    return ""


JUDGE = Judge(
    title="Workers come and go",
    properties=(
        Property(
            "batches",
            "`next_batch` gives the next global batch, whoever trained the ones before",
            1,
            asks="In which epoch is sample number `done` of the run, and at which place in it?",
        ),
        Property(
            "shares",
            "`shares` splits a batch evenly over any number of workers, in as few parts as fit",
            2,
            asks="Put the parts of all ranks side by side: what is missing, what is there twice, "
            "and which rank has more than another?",
        ),
        Property(
            "start",
            "in each life, every rank starts from what rank 0 finds in the last checkpoint",
            1,
            asks="Whose copy of the checkpoint does each rank start from?",
            waits_for=("batches", "shares"),
        ),
        Property(
            "goes-on",
            "it trains from there to the end of the run: no sample lost, none twice, and none in "
            "a complete run",
            1,
            asks="Which number in the checkpoint says where the run is, and does it mean the same "
            "with another number of workers?",
            waits_for=("batches", "shares", "start"),
        ),
        Property(
            "saves",
            "rank 0 alone saves, as soon as `every` samples are trained, and at the end",
            1,
            asks="How many samples old is the last checkpoint, in this life and across a restart, "
            "and who writes the next one?",
            waits_for=("batches", "start", "goes-on"),
        ),
        Property(
            "equal",
            "weights and momentum are those of one process that nobody stopped",
            2,
            asks="Write down what one step adds up on 4 workers, and on 3. What is that divided "
            "by?",
            waits_for=("batches", "shares", "start", "goes-on"),
        ),
    ),
    hints=(
        "Nothing in the checkpoint may depend on how many workers there were. Which number says "
        "how far the run is, whoever made it?",
        "The global batch follows from the samples that are done. A rank's share of it follows "
        "from its rank and the world size *now*. The sum over all ranks, divided by the length of "
        "the global batch, is the mean: whatever the shares are.",
        "`train`: `found = [job.load() if rank == 0 else None]`, then "
        "`dist.broadcast_object_list(found, src=0)`. In the loop: add up `job.gradient(part)` in "
        "`job.zeros()`, `dist.all_reduce` it (even with no part), `job.step(total / len(batch))`, "
        "`done += len(batch)`. Keep in mind at which `done` the last checkpoint was.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "rendezvous": Prediction(
            "8 samples for each worker in a step, 4 workers, 100 steps done. A worker dies, and "
            "the other 3 go on with step 101. How many samples are trained twice?",
            truth=800,
            unit="samples",
            because="4 workers had trained 100 x 32 = 3,200 samples. With 3 workers, step 101 "
            "starts after 100 x 24 = 2,400. If a fifth one had joined, 800 would have been "
            "skipped.",
            exact=True,
        ),
    },
    varies=("acts", "states"),
)
