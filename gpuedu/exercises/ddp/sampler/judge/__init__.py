"""sampler: which samples a rank draws in an epoch, and in an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, combinations, pairwise

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)

Parts = Sequence[Sequence[int]]
EPOCHS = 3
_TRAINING = ("all-drawn", "as-many", "padding")
_ORDER = ("shuffled", "mixed")
_NEAR = 3
_COMPANY = 0.45
"""Of the pairs of a rank, the share that may be a pair in another epoch again. In 100,000 random
orders of 3 x 15 it was 0.32 on average, and its mean over three pairs of epochs is nearer to that;
parts of one order that moves on have 0.46 or more."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Data that fit the ranks and that do not, fewer samples than ranks, one rank; evaluations."""
    drawn = []
    for ranks in (3, 4, 8):
        each = int(rng.integers(42 // ranks + 1, 70 // ranks))
        # At least two to be filled up with more than 3 ranks, so that it matters which.
        short = int(rng.integers(1, ranks)) if ranks == 3 else int(rng.integers(2, ranks))
        decides = (*_TRAINING, *_ORDER) if ranks < 8 else (*_TRAINING, "shuffled")
        drawn.append(_training(rng, each * ranks - short, ranks, decides))
    drawn += [
        # The seed 0, so that no product with it is an order's own.
        _training(rng, 12 * 4, 4, (*_TRAINING, *_ORDER), seed=0),
        _training(rng, int(rng.integers(2, 4)), 8, _TRAINING),
        _training(rng, int(rng.integers(40, 50)), 1, (*_TRAINING, "shuffled")),
    ]
    few = int(rng.integers(2, 5))
    # 10 on 4: blocks of 3, the last of 1, where 3, 3, 2, 2 are as even as can be.
    sizes = ((int(rng.integers(5, 12)) * 4 - 1, 4), (24, 3), (few, 8), (17, 1), (10, 4))
    for samples, ranks in sizes:
        inputs = {"ask": "evaluation", "samples": samples, "ranks": ranks}
        drawn.append(Case(f"evaluation, {_sizes(samples, ranks)}", inputs, ("evaluation",)))
    return drawn


def _training(
    rng: np.random.Generator,
    samples: int,
    ranks: int,
    decides: tuple[str, ...],
    seed: int | None = None,
) -> Case:
    inputs = {"ask": "training", "samples": samples, "ranks": ranks, "epochs": EPOCHS}
    inputs["later"] = int(rng.integers(5, 41))
    seed = int(rng.integers(2**20, 2**21)) if seed is None else seed
    return Case(_sizes(samples, ranks), {**inputs, "seed": seed}, decides)


def _sizes(samples: int, ranks: int) -> str:
    return f"{samples} samples on {ranks} rank{'s' if ranks > 1 else ''}"


def note_random_state(case: Case, observed: Plain) -> Iterable[Finding]:
    """A note where the ranks' own random states were moved."""
    if observed.get("moved"):
        yield Finding(
            Level.NOTE,
            "your function moves PyTorch's global random state: dropout, and anything else that "
            "draws from it, continues from there, the same on every rank. A separate "
            "`torch.Generator()` leaves it alone",
        )


def _counts(parts: Parts) -> Counter[int]:
    return Counter(chain.from_iterable(parts))


def _test_all_drawn(case: Case, observed: Plain) -> Iterable[Fault]:
    samples = case.inputs["samples"]
    for epoch, parts in enumerate(observed["epochs"]):
        missing = sorted(set(range(samples)) - set(_counts(parts)))
        if missing:
            told = f"in epoch {epoch} sample {missing[0]} was drawn by no rank"
            yield Fault("all-drawn", f"{told} ({len(missing)} of {samples} were not)")


def _test_as_many(case: Case, observed: Plain) -> Iterable[Fault]:
    each = -(-case.inputs["samples"] // case.inputs["ranks"])
    for epoch, parts in enumerate(observed["epochs"]):
        for rank, part in enumerate(parts):
            if len(part) != each:
                told = f"in epoch {epoch} rank {rank} drew {len(part)} samples"
                yield Fault("as-many", f"{told}, expected {each}")


def _test_padding(case: Case, observed: Plain) -> Iterable[Fault | Undecided]:
    """What is drawn too often; ranks with orders of their own draw it by chance, not to fill up."""
    samples, ranks = case.inputs["samples"], case.inputs["ranks"]
    most = -(-(-(-samples // ranks) * ranks) // samples)
    often = {1: "once", 2: "twice"}.get(most, f"{most} times")
    for epoch, parts in enumerate(observed["epochs"]):
        counts = _counts(parts)
        for sample, count in sorted(counts.items()):
            if count <= most:
                continue
            told = f"in epoch {epoch} sample {sample} was drawn {count} times"
            if len(counts) < samples:
                missing = samples - len(counts)
                yield Undecided("padding", f"{told}, and {missing} of {samples} by no rank")
            elif parts != observed["again"][epoch]:
                told = f"{told}, and the same arguments gave different draws the second time"
                yield Undecided("padding", told)
            else:
                yield Fault("padding", f"{told}, at most {often} is needed")


def _if_drawn(name: str, test: Test) -> Test:
    """The same test of an order, undecided where a rank draws less than half of its part."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        each = -(-case.inputs["samples"] // case.inputs["ranks"])
        for epoch, parts in enumerate(observed["epochs"]):
            for rank, part in enumerate(parts):
                if 2 * len(part) < each:
                    told = f"in epoch {epoch} rank {rank} drew {len(part)} of its {each} samples"
                    yield Undecided(name, told)
                    return
        yield from test(case, observed)

    return tested


def _test_shuffled(case: Case, observed: Plain) -> Iterable[Fault]:
    """Orders of epochs and of seeds against each other, and the same call twice."""
    epochs, again = observed["epochs"], observed["again"]
    for epoch in range(len(epochs)):
        if epochs[epoch] != again[epoch]:
            told = f"epoch {epoch} was drawn twice with the same arguments, and the draws differ"
            if observed["hashed"]:
                told += (
                    ": the second time as in another process, where a string has a different `hash`"
                )
            yield Fault("shuffled", told)
    for a, b in combinations(range(len(epochs)), 2):
        if epochs[a] == epochs[b]:
            told = f"epochs {a} and {b} have the same order: rank 0 starts with"
            yield Fault("shuffled", f"{told} {_list(epochs[a][0])} in both")
    later = case.inputs["later"]
    if observed["later"] in epochs:
        told = f"epochs {epochs.index(observed['later'])} and {later} have the same order"
        yield Fault("shuffled", told)
    pairs = ((0, epochs[0], observed["other"]), (later, observed["later"], observed["later_other"]))
    for epoch, one, other in pairs:
        if one == other:
            yield Fault("shuffled", f"in epoch {epoch}, two values of `seed` give the same order")
    step, share = _commonest_step(epochs[1], case.inputs["samples"])
    if share > 0.5:
        told = f"in epoch 1 most samples of a rank are {step} more than the one before"
        yield Fault("shuffled", f"{told}: {_list(epochs[1][0])}")
    elif _near(epochs[1], case.inputs["samples"]) > 0.5:
        told = f"in epoch 1 most samples of a rank are at most {_NEAR} away from the one before"
        yield Fault("shuffled", f"{told}: {_list(epochs[1][0])}")


def _near(parts: Parts, samples: int) -> float:
    """The share of a rank's draws that are next to the one before, or nearly so."""
    steps = [(b - a) % samples for part in parts for a, b in pairwise(part)]
    return sum(min(step, samples - step) <= _NEAR for step in steps) / max(len(steps), 1)


def _commonest_step(parts: Parts, samples: int) -> tuple[int, float]:
    """The commonest distance from a rank's draw to its next one, and how common it is."""
    steps = Counter((b - a) % samples for part in parts for a, b in pairwise(part))
    if not steps:
        return 0, 0.0
    step, count = steps.most_common(1)[0]
    return step, count / steps.total()


def _test_mixed(case: Case, observed: Plain) -> Iterable[Fault]:
    for rank, parts in enumerate(zip(*observed["epochs"], strict=True)):
        if len(set(map(frozenset, parts))) == 1:
            told = f"rank {rank} drew the same {len(parts[0])} samples in all {len(parts)} epochs"
            yield Fault("mixed", told)
    # Parts that only change ranks are the same batches in every epoch.
    for a, b in combinations(range(len(observed["epochs"])), 2):
        before, after = (list(map(frozenset, observed["epochs"][epoch])) for epoch in (a, b))
        for rank, part in enumerate(after):
            if part in before:
                told = f"the {len(part)} samples that rank {before.index(part)} drew in epoch {a}"
                yield Fault("mixed", f"{told} are those that rank {rank} drew in epoch {b}")
    epochs = observed["epochs"]
    share = float(np.mean([_company(a, b) for a, b in combinations(epochs, 2)]))
    if share > _COMPANY:
        told = f"{share:.0%} of the pairs of samples that a rank drew were on one rank together in"
        yield Fault("mixed", f"{told} another epoch, too")


def _company(before: Parts, after: Parts) -> float:
    """Of the pairs of a rank's samples, the share that one rank had before."""
    pairs = {pair for part in before for pair in combinations(sorted(part), 2)}
    found = [pair in pairs for part in after for pair in combinations(sorted(part), 2)]
    return sum(found) / max(len(found), 1)


def _test_evaluation(case: Case, observed: Plain) -> Iterable[Fault]:
    parts = observed["parts"]
    counts, lengths = _counts(parts), [len(part) for part in parts]
    for sample in range(case.inputs["samples"]):
        if counts[sample] != 1:
            how = f"{counts[sample]} times" if counts[sample] else "by no rank"
            yield Fault("evaluation", f"sample {sample} is evaluated {how}")
    if max(lengths) - min(lengths) > 1:
        yield Fault("evaluation", f"the ranks have {', '.join(map(str, lengths))} samples")


def _list(part: Sequence[int]) -> str:
    return f"[{', '.join(map(str, part[:5]))}{', ...' if len(part) > 5 else ''}]"


JUDGE = Judge(
    title="Which rank draws which sample",
    properties=(
        Property(
            "all-drawn",
            "every sample is drawn, whatever a rank's own random state",
            1,
            "Which list does each rank make, from what all of them know, and which part of it is "
            "its own?",
            _test_all_drawn,
        ),
        Property(
            "as-many",
            "every rank draws equally many: N / W, rounded up",
            1,
            "A rank with one batch fewer never gets to the last all-reduce. How many draws do the "
            "ranks share, and how many does each of them take?",
            _test_as_many,
        ),
        Property(
            "padding",
            "samples are repeated only as padding, none more often than needed",
            1,
            "Is every sample drawn? If so: how many more draws than samples are there, and which "
            "samples fill them?",
            _test_padding,
            after=("all-drawn",),
        ),
        Property(
            "shuffled",
            "each epoch and each seed has its own order, the same at any time",
            1,
            "How is the order drawn, and on what does it depend?",
            _if_drawn("shuffled", _test_shuffled),
        ),
        Property(
            "mixed",
            "in the next epoch a rank gets different samples, grouped differently",
            1,
            "Which samples can your function give to a rank, and what decides that in each epoch?",
            _if_drawn("mixed", _test_mixed),
        ),
        Property(
            "evaluation",
            "`eval_part`: every sample once, ranks differ by one at most",
            1,
            "Nobody waits for a gradient here. Which samples does each rank get, and how many?",
            _test_evaluation,
        ),
    ),
    hints=(
        "All ranks can compute the same list, without talking to each other, if it depends only "
        "on what all of them know. Which list, and which part of it is yours?",
        "Shuffle the indices of all samples with a generator whose seed is made of `seed` and "
        "`epoch`, the same on every rank. Make the list long enough for all, `ceil(samples / "
        "ranks) * ranks`, by starting over at its front. Then take every `ranks`-th from `rank` "
        "on.",
        "`g = torch.Generator().manual_seed(seed + epoch)`, `order = torch.randperm(samples, "
        "generator=g).tolist()`, `each = math.ceil(samples / ranks)`; then `[order[i % samples] "
        "for i in range(rank, each * ranks, ranks)]`. For the evaluation: `range(rank, samples, "
        "ranks)`.",
    ),
    results=("all-drawn",),
    apart=("shuffled", "mixed", "evaluation"),
    cases=cases,
    verdict=note_random_state,
    predictions={
        "sampler": Prediction(
            "10 test samples on 4 ranks, with a training sampler that draws samples 0 and 1 once "
            "more. The model is wrong on sample 0 alone. What accuracy does the program print, in "
            "percent?",
            truth=250 / 3,
            unit="%",
            because="12 draws are counted, and sample 0 is wrong in two of them: 10 / 12. The "
            "model is right on 9 of 10 samples.",
        )
    },
)
