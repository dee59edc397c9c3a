"""master-weights: two ways to keep an update that 16 bits cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.mixed_precision.formats import BF16, FP16, Format
from gpuedu.exercises.mixed_precision.judge import rounding

DTYPES: Mapping[str, Format] = {"bfloat16": BF16, "float16": FP16}
DRAWS = 256
"""Uniform numbers a value is rounded with: the middles of 256 equal parts of 0 to 1."""

_STEPS = 200


def cases(rng: np.random.Generator) -> list[Case]:
    """Both dtypes: updates far below half a step, small weights, and numbers to round by chance."""
    drawn = []
    for dtype, form in DTYPES.items():
        drawn += [
            _updates("master", dtype, rng, size=1.0, gradient=form.epsilon / 4, rate=2.0**-3),
            _updates("gradient", dtype, rng, size=1e-3, gradient=2.0**-12, rate=1.1e-3),
            _updates("copy", dtype, rng, size=1.0, gradient=0.3, rate=0.01),
        ]
        drawn += [_to_round(prop, dtype, rng) for prop in ("neighbors", "chance")]
        large = form.largest * rng.uniform(0.2, 0.45, 6)
        drawn += [_draws(prop, dtype, rng, large) for prop in ("neighbors", "chance")]
    return drawn


def _updates(
    prop: str, dtype: str, rng: np.random.Generator, *, size: float, gradient: float, rate: float
) -> Case:
    """The same gradients again and again, in 16 bits; of powers of 2 for ``master``."""
    form, n = DTYPES[dtype], 12
    start = (size * rng.uniform(0.5, 1.5, n) * rng.choice([-1, 1], n)).astype(np.float32)
    grow = np.ones(n) if prop == "master" else rng.uniform(1.0, 2.0, n)
    gradients = rounding.nearest(gradient * grow * rng.choice([-1, 1], n), form)
    inputs = {"ask": "updates", "dtype": dtype, "start": start, "rate": rate, "steps": _STEPS}
    label = f"{dtype}, {_STEPS} updates of weights near {size:g}, gradients near {gradient:.1g}"
    return Case(label, {**inputs, "gradients": gradients.astype(np.float32)}, (prop,))


def _to_round(prop: str, dtype: str, rng: np.random.Generator) -> Case:
    """Numbers between neighbors, numbers of the format, ends of an exponent, subnormal ones."""
    form = DTYPES[dtype]
    between = rng.uniform(1, 2, 24) * 2.0 ** rng.integers(-8, 8, 24)
    kept = rounding.nearest(rng.uniform(1, 2, 4), form)
    powers = 2.0 ** rng.integers(-4, 4, 6)
    above = powers * (1 + form.epsilon * rng.uniform(0.05, 0.2, 6))
    below = powers * (1 - form.epsilon / 2 * rng.uniform(0.1, 0.9, 6))
    # Subnormal in fp16; in bf16, far below what is normal in fp16.
    smallest = form.smallest if form is FP16 else 2.0 ** rng.integers(-60, -20, 8)
    tiny = smallest * rng.uniform(0.2, 20, 8)
    return _draws(prop, dtype, rng, np.concatenate([between, kept, above, below, tiny, [0.0]]))


def _draws(prop: str, dtype: str, rng: np.random.Generator, values: np.ndarray) -> Case:
    """Numbers of either sign, each with uniform numbers that are spread evenly."""
    values = (values * rng.choice([-1, 1], values.size)).astype(np.float32)
    draws = (np.arange(DRAWS) + 0.5) / DRAWS
    uniform = np.stack([rng.permutation(draws) for _ in values], axis=1).astype(np.float32)
    low, high = neighbors(values.astype(np.float64), DTYPES[dtype])
    uniform[0, low == high] = 0.0  # and yet they stay
    inputs = {"ask": "round", "dtype": dtype, "values": values, "uniform": uniform}
    return Case(f"{dtype}, {values.size} numbers, {DRAWS} draws each", inputs, (prop,))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Masters against float32, the copy against the master; neighbors, and how often the upper."""
    (prop,) = case.decides
    form = DTYPES[case.inputs["dtype"]]
    if case.inputs["ask"] == "updates":
        yield from _judge_updates(prop, form, case.inputs, observed)
    else:
        yield from _judge_rounding(prop, form, case.inputs, observed)


def masters(inputs: Mapping[str, Any], steps: int) -> np.ndarray:
    """The weights in float64 after so many of the updates."""
    return inputs["start"].astype(np.float64) - steps * inputs["rate"] * inputs["gradients"]


def _judge_updates(
    prop: str, form: Format, inputs: Mapping[str, Any], observed: Plain
) -> Iterable[Fault]:
    dtype = inputs["dtype"]
    if observed["master_dtype"] != "float32":
        told = f"the master has dtype {observed['master_dtype']}, expected float32"
        yield Fault(prop, told)
        return
    if prop == "copy":
        yield from _judge_copy(dtype, form, observed)
        return
    expected, got = masters(inputs, inputs["steps"]), observed["master"]
    largest = np.maximum(np.abs(inputs["start"]), np.abs(expected))
    wrong = ~(np.abs(got - expected) <= 2 * inputs["steps"] * 2.0**-24 * largest)
    if wrong.any():
        i = int(np.argmax(wrong))
        told, wanted = show_apart(float(got[i]), float(expected[i]))
        start, update = float(inputs["start"][i]), -inputs["rate"] * float(inputs["gradients"][i])
        yield Fault(
            prop,
            f"a weight of {start:.6g} with {inputs['steps']} updates of {update:.4g} has a master "
            f"of {told}, expected {wanted}",
        )


def _judge_copy(dtype: str, form: Format, observed: Plain) -> Iterable[Fault]:
    if observed["weight_dtype"] != dtype:
        told = f"the weights have dtype {observed['weight_dtype']}, expected {dtype}"
        yield Fault("copy", told)
        return
    got, expected = observed["weight"], rounding.nearest(observed["master"], form)
    wrong = got != expected
    if not observed["master"].any():
        yield Fault("copy", "all weights of the master are 0")
    elif wrong.any():
        i = int(np.argmax(wrong))
        told, wanted = show_apart(float(got[i]), float(expected[i]))
        yield Fault(
            "copy",
            f"for a master of {show(float(observed['master'][i]))} the weight is {told}, expected "
            f"{wanted}",
        )


def neighbors(values: np.ndarray, form: Format) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a format next to each value, below and above; itself twice if it is one."""
    towards_zero = rounding.decode(rounding.encode(values, form, rounding="down"), form)
    away = rounding.decode(rounding.encode(values, form, rounding="up"), form)
    return np.minimum(towards_zero, away), np.maximum(towards_zero, away)


def _judge_rounding(
    prop: str, form: Format, inputs: Mapping[str, Any], observed: Plain
) -> Iterable[Fault]:
    dtype, values = inputs["dtype"], inputs["values"].astype(np.float64)
    if observed["dtype"] != dtype:
        told = f"the result has dtype {observed['dtype']}, expected {dtype}"
        yield Fault(prop, told)
        return
    low, high = neighbors(values, form)
    got = observed["rounded"]
    wrong = (got != low) & (got != high)
    if prop == "neighbors":
        if wrong.any():
            draw, i = (int(part[0]) for part in np.nonzero(wrong))
            known = f"its neighbors are {low[i]:.9g} and {high[i]:.9g}"
            if low[i] == high[i]:
                known = f"it is a number of {dtype} itself, which stays as it is"
            told = f"{values[i]:.9g} was rounded to {show(float(got[draw, i]))}"
            yield Fault(prop, f"{told}; {known}")
        elif 2 * int((got != got[0]).any(axis=0).sum()) < int((low != high).sum()):
            yield Undecided(prop, f"most numbers went the same way in all {DRAWS} draws")
        return
    share = np.where(high > low, (values - low) / np.where(high > low, high - low, 1), 0)
    ups = (got == high).sum(axis=0)
    off = np.where(high > low, np.abs(ups - share * DRAWS), 0)
    if off.max() > 1 and wrong.any():
        yield Undecided(prop, "some results are none of a number's two neighbors")
    elif off.max() > 1:
        i = int(np.argmax(off))
        yield Fault(
            prop,
            f"{values[i]:.9g} lies {100 * share[i]:.3g}% of the way from {low[i]:.9g} up to "
            f"{high[i]:.9g}; it was rounded up in {ups[i] / DRAWS:.0%} of {DRAWS} draws, "
            "spread evenly over 0 to 1",
        )


JUDGE = Judge(
    title="Where does an update that is too small go?",
    properties=(
        Property(
            "master",
            "`master_step`: updates far below half a step add up",
            1,
            "Do two updates of a weight by hand: where is its master, and in which dtype?",
        ),
        Property(
            "gradient",
            "`master_step`: rate times gradient is not rounded to 16 bits",
            1,
            "Compute one update by hand: what is added to the master, with which sign, and is it "
            "rounded to 16 bits on the way?",
        ),
        Property(
            "copy",
            "`master_step`: the 16-bit weights are the new master, rounded",
            1,
            "From what are the 16-bit weights made, and in which dtype are they?",
            after=("master", "gradient"),
        ),
        Property(
            "neighbors",
            "`round_stochastically`: to one of the two neighbors",
            1,
            "How many steps of the format long is this number, and which whole numbers are next?",
        ),
        Property(
            "chance",
            "`round_stochastically`: up the more often, the closer the number is to the upper one",
            2,
            "For which uniform numbers does this one go up, and what share of 0 to 1 are those?",
        ),
    ),
    hints=(
        "In which dtype is `lr * gradient` if the gradient has 16 bits? For the rounding: how long "
        "is a step of this dtype at 1, and how does it grow with the exponent?",
        "`gradient.float()` comes first. For the rounding, the step at a number x is `eps` times "
        "the power of 2 at or below |x|; `torch.frexp(x)` gives that power's exponent plus 1. How "
        "many steps is x long, and what is the fractional part of that number?",
        "`_, exponent = torch.frexp(values.abs().clamp(min=info.smallest_normal))`, and the step "
        "is `info.eps * 2.0 ** (exponent - 1)`. With `steps = values / step`, "
        "take `steps.floor()` and add 1 where `uniform < steps - steps.floor()`; times `step`, it "
        "is a number of the dtype.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "master-weights": Prediction(
            "A bf16 weight of 1 gets 1000 updates of -0.001. Where does it end up?",
            truth=1,
            exact=True,
            because="Below 1 the steps of bf16 are 1/256, and 0.001 is less than half of that: "
            "each update rounds back to 1.",
        )
    },
)
