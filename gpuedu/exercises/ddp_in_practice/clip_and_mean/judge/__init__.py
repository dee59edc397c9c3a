"""clip-and-mean: a norm, a loss and a batch's moments that are those of all ranks together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp_in_practice.clip_and_mean.judge.clipping import test_clip
from gpuedu.exercises.ddp_in_practice.clip_and_mean.judge.moments import of_objects, test_moments

LOSS_REL = 1e-5
SHAPES = ((3, 4), (4,), (2, 3))


def cases(rng: np.random.Generator) -> list[Case]:
    """Planted gradients, losses and rows, on 2 to 4 ranks."""
    seeds = iter(rng.integers(2**20, size=16).tolist())

    def clip(label: str, prop: str, sizes: Sequence[float], share: float, none: int = -1) -> Case:
        """Gradients of these norms by rank; ``max_norm`` is a share of the norm of their mean."""
        drawn = [[rng.standard_normal(shape) for shape in SHAPES] for _ in sizes]
        gradients: list[list[Any]] = [
            _scaled(mine, size) for mine, size in zip(drawn, sizes, strict=True)
        ]
        for mine in gradients if none >= 0 else ():
            mine[none] = None
        means = [np.mean(one, axis=0) for one in zip(*gradients, strict=True) if one[0] is not None]
        norm = float(np.sqrt(sum((mean**2).sum() for mean in means)))
        inputs = {"ask": "finish", "gradients": gradients, "max_norm": share * norm}
        return Case(label, inputs | {"seed": next(seeds)}, (prop, "norm"))

    def loss(label: str, prop: str, samples: Sequence[int]) -> Case:
        drawn = zip(_losses(rng), samples, strict=True)
        losses = [float(one) if n else float("nan") for one, n in drawn]
        inputs = {"ask": "mean_loss", "losses": losses, "samples": list(samples)}
        return Case(label, inputs | {"seed": next(seeds)}, (prop,))

    def moments(label: str, prop: str, rows: Sequence[int], far: float, spread: float) -> Case:
        center = far * rng.choice([-1.0, 1.0], size=4) * rng.uniform(1.0, 2.0, size=4)
        # Ranks' means differ by more than their rows: a variance between ranks that counts.
        apart = 2 * np.arange(len(rows))[:, None] + rng.uniform(0, 0.5, size=(len(rows), 4))
        wide = spread * rng.uniform(1.0, 2.0, size=4)
        parts = [
            center + wide * (apart[rank] + rng.standard_normal((n, 4)))
            for rank, n in enumerate(rows)
        ]
        return Case(label, {"ask": "moments", "parts": parts, "seed": next(seeds)}, (prop,))

    few, many = int(rng.integers(2, 4)), int(rng.integers(5, 9))
    return [
        clip("gradients of norms 40, 4 and 2", "clip", (40.0, 4.0, 2.0), 0.3),
        clip("a parameter without a gradient", "clip", (20.0, 30.0), 0.5, none=1),
        # The sum of three is shorter than this limit, too: nothing is scaled.
        clip("a mean that is far below the limit", "small", (12.0, 9.0, 30.0), 3.5),
        clip("a mean that is shorter than the limit", "small", (12.0, 9.0, 30.0), 1.3),
        clip("long gradients, a short mean", "small", (25.0, 25.0, 25.0, 25.0), 1.05),
        loss("ranks with equally many samples", "loss", (many,) * 3),
        loss("ranks with different numbers of samples", "loss", (many, few, 1)),
        loss("a rank without samples", "empty", (many, 0, few)),
        moments("rows on all ranks", "moments", (many, few, few), 0.0, 1.0),
        moments("two ranks", "moments", (few, many), 1.0, 1.0),
        moments("a rank without rows", "empty", (few, 0, many), 1.0, 1.0),
        moments("data far from 0", "far", (many, few, many), 1e6, 1e-2),
        moments("a rank with one row", "moments", (many, 1, few), 1.0, 1.0),
        moments("data far from 0, and none on rank 0", "empty", (0, many, few), 1e6, 1e-2),
        _cancelling(clip("gradients that cancel each other", "small", (3.0, 3.0), 1.0)),
        _not_a_number(loss("a loss that is NaN, on a rank with samples", "loss", (many, few, 0))),
    ]


def _cancelling(case: Case) -> Case:
    """The second rank's gradients are those of the first, turned round: their mean is 0."""
    first = case.inputs["gradients"][0]
    turned = {"gradients": [first, [-one for one in first]], "max_norm": 1.0}
    return Case(case.label, {**case.inputs, **turned}, case.decides)


def _not_a_number(case: Case) -> Case:
    """Rank 1's loss is NaN, though it has samples."""
    losses = [case.inputs["losses"][0], float("nan"), float("nan")]
    return Case(case.label, {**case.inputs, "losses": losses}, case.decides)


def _scaled(gradients: Sequence[np.ndarray], size: float) -> list[np.ndarray]:
    norm = np.sqrt(sum((one**2).sum() for one in gradients))
    return [one * (size / norm) for one in gradients]


def _losses(rng: np.random.Generator) -> np.ndarray:
    """Mean losses of ranks that are well apart, in the precision that they are handed over in."""
    return (np.array([0.5, 2.0, 4.5]) + rng.uniform(0, 0.5, size=3)).astype(np.float32)


def _test_loss(case: Case, observed: Plain) -> Iterable[Fault]:
    (prop,), samples = case.decides, np.array(case.inputs["samples"])
    sums = np.where(samples > 0, samples * np.array(case.inputs["losses"]), 0.0)
    true = float(sums.sum() / samples.sum())
    told = ", ".join(f"{n}" for n in samples)
    for rank, got in enumerate(observed["ranks"]):
        if not (is_close(got, true, LOSS_REL) or (np.isnan(got) and np.isnan(true))):
            shown, wanted = show_apart(got, true)
            message = f"`mean_loss` with {told} samples: {shown} on rank {rank}, expected {wanted}"
            yield Fault(prop, message)
            return
    # Once is enough: the row of an empty rank is about what comes out.
    if prop == "loss" and max(observed["calls"]) > 1:
        message = f"`mean_loss` makes {max(observed['calls'])} calls on a rank, one is enough"
        yield Fault(prop, message + of_objects(observed["kinds"]))
    elif prop == "loss" and not observed["kept"]:
        yield Fault(prop, "after `mean_loss`, the tensor `loss` is not what it was before")


TESTS = {"finish": test_clip, "mean_loss": _test_loss, "moments": test_moments}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """By what was asked."""
    yield from TESTS[case.inputs["ask"]](case, observed)


JUDGE = Judge(
    title="Numbers over all ranks",
    properties=(
        Property(
            "clip",
            "what is clipped is the mean, by one norm over all parameters",
            1,
            "Of which gradient is the norm taken, how is it computed, and what does it scale?",
        ),
        Property(
            "small",
            "a mean that is shorter than the limit stays as it is",
            1,
            "Which gradient's norm is compared with `max_norm`, and what happens if it is smaller?",
        ),
        Property(
            "norm",
            "`finish` returns the norm of the mean before it was clipped",
            1,
            "Which gradient's norm is that, at which moment, and how is it computed?",
        ),
        Property(
            "loss",
            "the mean loss counts every sample alike, with one call; `loss` is left alone",
            1,
            "What does each rank add to a sum, and by what is the sum divided? In how many calls?",
        ),
        Property(
            "moments",
            "mean and variance are those of all rows, with two calls at most; `x` is left alone",
            1,
            "What does each rank add to a sum, and by what is the sum divided? In how many calls?",
        ),
        Property(
            "empty",
            "and where a rank has no samples",
            1,
            "Is it right where all ranks have samples? If so: what does a rank without samples "
            "hand over, and does it make every call?",
        ),
        Property(
            "far",
            "and where the data lie far from 0",
            1,
            "Is it right near 0? If so: how many digits do your sums have, and do you subtract "
            "two large numbers that are nearly equal?",
        ),
    ),
    hints=(
        "Each of the three numbers belongs to the *whole* batch. What does each rank have to know "
        "before it can compute it? And what does a rank without samples add?",
        "First `average`, then the norm: the root of the sum of all squares, over all parameters; "
        "scale only if it is longer than `max_norm`. For the loss, sum a tensor of two numbers: "
        "own sum and own count (both 0 without samples). For the moments, sum the rows and their "
        "number first, then the squares of what is left once the mean of *all* rows is "
        "subtracted.",
        "`average(model)`; `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)` does "
        "the rest. `pair = torch.tensor([loss.item() * samples if samples else 0.0, samples])`, "
        "`dist.all_reduce(pair)`, `pair[0] / pair[1]`. `sums = torch.cat([x.sum(0), "
        "x.new_tensor([len(x)])])`, all-reduce, `mean = sums[:-1] / sums[-1]`; `squares = "
        "((x - mean) ** 2).sum(0)`, all-reduce, `squares / sums[-1]`.",
    ),
    results=("clip",),
    apart=("norm", "loss", "moments", "empty", "far"),
    cases=cases,
    verdict=verdict,
    predictions={
        "clip-and-mean": Prediction(
            "each rank clips to a norm of 1, then the gradients are averaged; they are (10, 0) and "
            "(0, 1). What is the norm of what comes out?",
            truth=0.707,
            because="Clipped, they are (1, 0) and (0, 1); their mean (0.5, 0.5) has a norm of "
            "0.707. Rank 0's samples had a gradient ten times as long, and now they count "
            "no more than rank 1's.",
        ),
        "clip-and-mean-variance": Prediction(
            "one rank has the values 1 and 3, the other 11 and 13. What is the variance of all "
            "four?",
            truth=26,
            exact=True,
            because="Their mean is 7, and they are 6, 4, 4 and 6 away from it: (36 + 16 + 16 + 36) "
            "/ 4. The mean of the two variances is 1: it knows nothing of the distance between "
            "the ranks.",
        ),
    },
)
