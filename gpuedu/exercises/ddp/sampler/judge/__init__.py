"""sampler: which samples a rank draws in an epoch, and in an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

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
)

Parts = Sequence[Sequence[int]]
EPOCHS = 3
_TRAINING = ("all-drawn", "as-many", "padding")
_ORDER = ("shuffled", "mixed")


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
        _training(rng, 12 * 4, 4, (*_TRAINING, *_ORDER)),
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


def _training(rng: np.random.Generator, samples: int, ranks: int, decides: tuple[str, ...]) -> Case:
    inputs = {"ask": "training", "samples": samples, "ranks": ranks, "epochs": EPOCHS}
    return Case(
        _sizes(samples, ranks), {**inputs, "seed": int(rng.integers(2**20, 2**21))}, decides
    )


def _sizes(samples: int, ranks: int) -> str:
    return f"{samples} samples on {ranks} rank{'s' if ranks > 1 else ''}"


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Counts of the samples by epoch, lengths by rank, and orders against each other."""
    samples, ranks = case.inputs["samples"], case.inputs["ranks"]
    if case.inputs["ask"] == "evaluation":
        yield from _evaluation_faults(observed["parts"], samples)
        return
    for epoch, parts in enumerate(observed["epochs"]):
        yield from _missing(parts, observed["again"][epoch], samples, epoch)
        yield from _lengths(parts, samples, ranks, epoch)
        yield from _repeats(parts, samples, ranks, epoch)
    if "shuffled" in case.decides:
        yield from _order_faults(observed, samples)
    if "mixed" in case.decides:
        yield from _mixing_faults(observed["epochs"])
    if observed["moved"]:
        yield Finding(
            Level.NOTE,
            "your function moves PyTorch's global random state: dropout and all that draws from "
            "it goes on from there, on every rank alike. A `torch.Generator()` of its own does not",
        )


def _missing(parts: Parts, again: Parts, samples: int, epoch: int) -> Iterable[Fault]:
    """Samples that nobody drew."""
    drawn = Counter(i for part in parts for i in part)
    missing = [i for i in range(samples) if not drawn[i]]
    if not missing:
        return
    message = (
        f"in epoch {epoch} sample {missing[0]} was drawn by no rank"
        f" ({len(missing)} of {samples} were not)"
    )
    yield Fault("all-drawn", message, _why_missing(parts, again, samples))


def _why_missing(parts: Parts, again: Parts, samples: int) -> str:
    if list(map(list, parts)) != list(map(list, again)):
        return (
            "Called again with the same arguments, your function gave other samples. The ranks "
            "are processes, each with its own random state: what do all of them know?"
        )
    for (a, mine), (b, theirs) in combinations(enumerate(parts), 2):
        both = sorted(set(mine) & set(theirs))
        if both and len(set(mine)) == len(mine):
            return (
                f"Ranks {a} and {b} both drew sample {both[0]}. Do all ranks shuffle the *same* "
                "way, before each takes its part?"
            )
    if len({len(part) for part in parts}) == 1 and len(parts[0]) == samples // len(parts):
        return (
            f"Each rank drew {samples} // {len(parts)} samples: the rest is dropped. Round up, "
            "and fill up."
        )
    return ""


def _lengths(parts: Parts, samples: int, ranks: int, epoch: int) -> Iterable[Fault]:
    """Ranks that draw more or fewer samples than the rest, or than they should."""
    each = -(-samples // ranks)
    for rank, part in enumerate(parts):
        if len(part) == each:
            continue
        lengths = {len(one) for one in parts}
        cause = ""
        if len(lengths) > 1:
            long = max(range(ranks), key=lambda r: len(parts[r]))
            short = min(range(ranks), key=lambda r: len(parts[r]))
            cause = (
                f"Rank {long} has {len(parts[long])}, rank {short} has {len(parts[short])}. In "
                f"its last step rank {long} would wait for a gradient that never comes."
            )
        elif len(part) == samples // ranks:
            cause = "All ranks draw as many, but that is rounded down. Who draws the rest?"
        yield Fault(
            "as-many", f"in epoch {epoch} rank {rank} drew {len(part)}, expected {each}", cause
        )
        return


def _repeats(parts: Parts, samples: int, ranks: int, epoch: int) -> Iterable[Fault]:
    """A sample that is drawn more often than filling up needs."""
    total = -(-samples // ranks) * ranks
    most = -(-total // samples)
    counts = Counter(i for part in parts for i in part)
    for sample, count in sorted(counts.items()):
        if count > most:
            spare = total - samples
            cause = (
                "Nothing is to be filled up here."
                if not spare
                else f"{spare} draws fill up: take {spare} different samples"
                + (", then begin again." if spare > samples else ".")
            )
            often = {1: "once", 2: "twice"}.get(most, f"{most} times")
            yield Fault(
                "padding",
                f"in epoch {epoch} sample {sample} was drawn {count} times, at most {often} is "
                "needed",
                cause,
            )
            return


def _order_faults(observed: Plain, samples: int) -> Iterable[Fault]:
    """Orders of epochs and of seeds against each other, and the same call twice."""
    epochs = observed["epochs"]
    for epoch, (first, again) in enumerate(zip(epochs, observed["again"], strict=True)):
        if first != again:
            yield Fault(
                "shuffled",
                f"epoch {epoch} was drawn twice with the same arguments, and the draws differ",
                "A run that is resumed in mid-epoch has to draw what it drew before. What is the "
                "order to depend on?",
            )
            return
    for a, b in combinations(range(len(epochs)), 2):
        if epochs[a] == epochs[b]:
            yield Fault(
                "shuffled",
                f"epochs {a} and {b} have the same order: rank 0 begins with "
                f"{_list(epochs[a][0])} in both",
                "With which seed does the generator begin in each epoch?",
            )
            return
    if epochs[0] == observed["other"]:
        yield Fault("shuffled", "two values of `seed` give the same order", "Where is it used?")
        return
    step, share = _commonest_step(epochs[1], samples)
    if share > 0.5:
        yield Fault(
            "shuffled",
            f"in epoch 1 most samples of a rank are {step} behind the last: {_list(epochs[1][0])}",
            "Every order should be as likely as any other. `torch.randperm` draws one.",
        )


def _commonest_step(parts: Parts, samples: int) -> tuple[int, float]:
    """The commonest distance from a rank's draw to its next one, and how common it is."""
    steps = Counter((b - a) % samples for part in parts for a, b in pairwise(part))
    if not steps:
        return 0, 0.0
    step, count = steps.most_common(1)[0]
    return step, count / steps.total()


def _mixing_faults(epochs: Sequence[Parts]) -> Iterable[Fault]:
    for rank in range(len(epochs[0])):
        if len({frozenset(parts[rank]) for parts in epochs}) == 1:
            yield Fault(
                "mixed",
                f"rank {rank} drew the same {len(epochs[0][rank])} samples in all "
                f"{len(epochs)} epochs",
                "Every epoch has the order of the first."
                if all(parts == epochs[0] for parts in epochs)
                else "Which comes first: shuffling, or taking a part? A batch should be able to "
                "hold any samples together.",
            )
            return


def _evaluation_faults(parts: Parts, samples: int) -> Iterable[Fault]:
    counts = Counter(i for part in parts for i in part)
    for sample in range(samples):
        if counts[sample] != 1:
            total = sum(counts.values())
            cause = (
                f"{total} samples are counted where there are {samples}. A mean over them is not "
                "that of the data. Here nobody waits for a gradient: may ranks have fewer?"
                if counts[sample] > 1
                else "Every sample counts here, those behind the last full round, too."
            )
            how = f"{counts[sample]} times" if counts[sample] else "by no rank"
            yield Fault("evaluation", f"sample {sample} is evaluated {how}", cause)
            return
    lengths = [len(part) for part in parts]
    if max(lengths) - min(lengths) > 1:
        yield Fault(
            "evaluation",
            f"the ranks have {', '.join(map(str, lengths))} samples",
            "All wait for the slowest, and may differ by one sample at most. How evenly can they "
            "be shared?",
        )


def _list(part: Sequence[int]) -> str:
    return f"[{', '.join(map(str, part[:5]))}{', ...' if len(part) > 5 else ''}]"


JUDGE = Judge(
    title="Who draws which sample",
    properties=(
        Property("all-drawn", "every sample is drawn, whatever a rank's own random state", 1),
        Property("as-many", "every rank draws as many: N / W, rounded up", 1),
        Property("padding", "nothing is drawn twice but what fills up, and that once more", 1),
        Property("shuffled", "each epoch and seed has its order, the same at any time", 1),
        Property("mixed", "a rank gets other samples in the next epoch", 1),
        Property("evaluation", "`eval_part`: every sample once, ranks differ by one at most", 1),
    ),
    hints=(
        "All ranks can compute the same list, without a word to each other, if it depends on "
        "nothing but what all of them know. Which list, and which part of it is yours?",
        "Shuffle the numbers of all samples with a generator that begins with a seed from `seed` "
        "and `epoch`, on every rank alike. Make the list long enough for all: "
        "`ceil(samples / ranks) * ranks`, by going round. Then take every `ranks`-th from `rank` "
        "on.",
        "`g = torch.Generator().manual_seed(seed + epoch)`, `order = torch.randperm(samples, "
        "generator=g).tolist()`, `each = math.ceil(samples / ranks)`; then `[order[i % samples] "
        "for i in range(rank, each * ranks, ranks)]`. For the evaluation: `range(rank, samples, "
        "ranks)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "sampler": Prediction(
            "10 test samples on 4 ranks, with a training sampler that draws samples 0 and 1 once "
            "more. The model is wrong on sample 0 alone. Which accuracy does the program print, "
            "in per cent?",
            truth=250 / 3,
            unit="%",
            because="12 draws are counted, and sample 0 is wrong in two of them: 10 / 12. The "
            "model is right on 9 of 10 samples.",
        )
    },
)
