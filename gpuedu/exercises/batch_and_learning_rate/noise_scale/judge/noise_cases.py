"""What noise-scale is checked on: squares, gradients whose truth is known, and devices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    mean_terms,
    saving,
    solve_terms,
)
from gpuedu.exercises.contract import Case

Gradient = Sequence[np.ndarray]
Steps = Sequence[dict[str, Gradient]]

_APART = 1e-2
_NEGATIVE = 0.1
"""How large a negative noise is, as a part of the signal: far more than rounding makes of 0."""
_SHAPES = ((3, 4), (4,), (2, 4), ())


def square(gradient: Gradient) -> float:
    """The square of its length: all its numbers, of all parameters, squared and added."""
    return math.fsum(float((part.astype(np.float64) ** 2).sum()) for part in gradient)


def squares(steps: Steps) -> list[tuple[float, float]]:
    """For each step, that of the gradient of few, and of many."""
    return [(square(step["few"]), square(step["many"])) for step in steps]


def devices(scale: float, per_device: int, gain: float) -> float:
    """Doubled from one as long as that divides the steps by ``gain``; infinite where all do."""
    if math.isinf(scale):
        return math.inf
    count = 1
    while saving(scale, count * per_device) >= gain:
        count *= 2
    return count


def cases(rng: np.random.Generator) -> list[Case]:
    """Squares, one step, many steps, all draws of a known truth, no signal, and devices."""
    drawn = [_terms(rng, negative=name) for name in ("", "signal", "noise")]
    drawn += [_steps(rng, 1, "norms") for _ in range(2)]
    for size, is_quiet in ((1.0, False), (0.001, True)):
        count = int(rng.integers(6, 14))
        drawn.append(_steps(rng, count, "averages", size=size, is_quiet=is_quiet))
    drawn += [_all_draws(rng, 4, 1, 2), _all_draws(rng, 3, 2, 3)]
    drawn += [_no_signal(rng, is_below=below) for below in (False, True)]
    drawn.append(_just_noise())
    drawn.append(_large_gradient(rng))
    drawn += [_devices(rng, least) for least in (2, 8, 32)]
    drawn.append(_case("devices", "devices", "thousands of devices", _thousands(rng)))
    drawn.append(_case("devices", "devices", "more samples a device than the scale", _past(rng)))
    drawn.append(_case("devices", "devices", "a doubling that divides by just 1.5", _edge(rng)))
    under = {"scale": 198.0, "per_device": 100, "gain": 1.5}
    drawn.append(_case("devices", "devices", "a doubling that divides by 1.497", under))
    # Last: here a search may never end.
    drawn.append(_case("devices", "devices", "one device is all that pays", _lone(rng)))
    endless = {"scale": math.inf, "per_device": int(rng.integers(3, 60)), "gain": 1.5}
    drawn.append(_case("endless", "devices", "an infinite noise scale", endless))
    return drawn


def _case(prop: str, ask: str, label: str, inputs: dict[str, Any]) -> Case:
    return Case(label, inputs | {"ask": ask}, (prop,))


def _sizes(rng: np.random.Generator) -> tuple[int, int]:
    few = int(rng.integers(3, 20))
    return few, few * int(rng.integers(2, 9)) + int(rng.integers(1, few))


def _terms(rng: np.random.Generator, *, negative: str) -> Case:
    """Two squares from which the named term comes out negative, or neither."""
    few, many = _sizes(rng)
    noise, signal = float(rng.integers(20, 400)) / 4, float(rng.integers(2, 40)) / 4
    if negative == "signal":
        signal = -noise / many / 4
    elif negative == "noise":
        signal, noise = signal + noise / few, -noise
    given = {
        "few": few,
        "many": many,
        "few_square": round(signal + noise / few, 4),
        "many_square": round(signal + noise / many, 4),
    }
    return _case("terms", "terms", "two squares", given)


def _gradient(rng: np.random.Generator, spread: float) -> list[np.ndarray]:
    return [np.asarray(spread * rng.standard_normal(shape)) for shape in _SHAPES]


def _steps(
    rng: np.random.Generator, count: int, prop: str, *, size: float = 1.0, is_quiet: bool = False
) -> Case:
    """Made-up gradients with a signal on average, of which single steps seem to have none.

    ``size`` scales all of them: with a small one the signal is far below 1. ``is_quiet``: they
    scatter so little that by chance the noise comes out negative, even on average.
    """
    for _ in range(5000):
        few, many = _sizes(rng)
        steps = []
        for _ in range(count):
            signal, spread = _gradient(rng, 0.6 * size), (0.2 if is_quiet else 5.0) * size
            steps.append(
                {
                    name: [np.asarray(g + n) for g, n in zip(signal, noise, strict=True)]
                    for name, samples in (("few", few), ("many", many))
                    for noise in (_gradient(rng, spread / samples**0.5),)
                }
            )
        if _is_telling(few, many, steps, is_quiet=is_quiet):
            label = f"made-up gradients of {count} step{'s' if count > 1 else ''}"
            label += ", with a negative noise" * is_quiet
            return _case(prop, "scale", label, {"few": few, "many": many, "steps": steps})
    raise AssertionError("no gradients tell averages from single steps")


def _is_telling(few: int, many: int, steps: Steps, *, is_quiet: bool) -> bool:
    pairs = squares(steps)
    signal, noise = mean_terms(few, many, pairs)
    if is_quiet:
        return noise < -_NEGATIVE * signal
    if not (signal > 0.1 * max(pair[1] for pair in pairs) and noise > 0):
        return False
    if len(pairs) == 1 and not _parts_tell(few, many, steps[0]):
        return False
    negative = sum(solve_terms(few, many, *pair).signal < 0 for pair in pairs)
    return len(pairs) == 1 or 0 < negative < len(pairs) // 2


def _parts_tell(few: int, many: int, step: dict[str, Gradient]) -> bool:
    """Whether the first and the last parameter have a finite noise scale of their own."""
    alone = [
        solve_terms(few, many, square([step["few"][place]]), square([step["many"][place]]))
        for place in (0, -1)
    ]
    return all(one.signal > 0 and one.noise > 0 for one in alone)


def _large_gradient(rng: np.random.Generator) -> Case:
    """A parameter with thousands of numbers."""
    mean = rng.standard_normal((60, 70))
    few, many = (mean + rng.standard_normal((60, 70)) * 4 / size**0.5 for size in (8, 64))
    step = {"few": [few, np.ones(3)], "many": [many, np.ones(3)]}
    given = {"few": 8, "many": 64, "steps": [step]}
    return _case("norms", "scale", "a parameter of 4,200 numbers", given)


def _all_draws(rng: np.random.Generator, samples: int, few: int, many: int) -> Case:
    """All batches that can be drawn from few samples: their average is the truth, not near it."""
    mean = _gradient(rng, 1.0)
    each = [
        [np.asarray(m + n) for m, n in zip(mean, _gradient(rng, 2.0), strict=True)]
        for _ in range(samples)
    ]
    steps = [
        {"few": _mean([each[i] for i in draw[:few]]), "many": _mean([each[i] for i in draw])}
        for draw in product(range(samples), repeat=many)
    ]
    first = "the first" if few == 1 else f"the first {few}"
    label = (
        f"all {len(steps)} ways to draw {many} of {samples} samples with replacement, {first} of "
        f"them the few"
    )
    given = {"few": few, "many": many, "steps": steps}
    return _case("truth", "scale", label, given)


def _mean(gradients: list[list[np.ndarray]]) -> list[np.ndarray]:
    return [np.asarray(sum(parts) / len(gradients)) for parts in zip(*gradients, strict=True)]


def _no_signal(rng: np.random.Generator, *, is_below: bool) -> Case:
    """A signal of 1 and one of -1, or lower, in units of their size; exact in binary.

    With batches of 1 and 2 the signal is twice the square of many less that of few. An average
    below 0 is above -1: near 0 it is no signal, either.
    """
    size = 2.0 ** int(rng.integers(-3, 1 if is_below else 4))
    few = [size * np.array([1.0, 1.0]), np.zeros(1)]
    above = [size * np.array([1.0, 0.5]), size * np.array([0.5])]
    below = [size * np.array([0.5, 0.0 if is_below else 0.5]), np.zeros(1)]
    steps = [{"few": few, "many": many} for many in (above, below)]
    label = f"a signal {'below' if is_below else 'of'} 0 on average"
    return _case("endless", "scale", label, {"few": 1, "many": 2, "steps": steps})


def _just_noise() -> Case:
    """One step whose square falls with the batch, as noise does: by norms, too, it is exact."""
    step = {"few": [np.array([2.0]), np.zeros(1)], "many": [np.array([1.0]), np.zeros(1)]}
    given = {"few": 1, "many": 4, "steps": [step]}
    return _case("endless", "scale", "one step, with a signal of 0", given)


def _devices(rng: np.random.Generator, least: int) -> Case:
    """A number of devices that no rounding changes, far from where the batch is the noise scale."""
    for _ in range(5000):
        per_device, gain = int(rng.integers(3, 60)), float(rng.integers(115, 180)) / 100
        given = {"scale": float(rng.integers(50, 40_000)), "per_device": per_device, "gain": gain}
        truth = devices(**given)
        near = (truth * per_device, truth * per_device / 2)
        is_clear = all(abs(saving(given["scale"], b) / gain - 1) > _APART for b in near)
        is_far = not given["scale"] / 2 < truth * per_device <= given["scale"]
        if is_clear and is_far and least <= truth < 4 * least:
            return _case("devices", "devices", f"{per_device} samples a device", given)
    raise AssertionError("no devices are clear of rounding")


def _edge(rng: np.random.Generator) -> dict[str, Any]:
    """The last doubling that pays divides the steps by the gain itself: powers of two, so exact."""
    per_device, count = (2 ** int(power) for power in rng.integers((3, 1), (7, 5)))
    return {"scale": float(2 * count * per_device), "per_device": per_device, "gain": 1.5}


def _thousands(rng: np.random.Generator) -> dict[str, Any]:
    """4,096 devices or more: the scale is 1.4 times a power of two of one device's samples."""
    per_device, power = int(rng.integers(3, 60)), int(rng.integers(13, 16))
    return {"scale": 1.4 * per_device * 2**power, "per_device": per_device, "gain": 1.5}


def _past(rng: np.random.Generator) -> dict[str, Any]:
    """A gain so small that doubling pays beyond the noise scale, too: 4 devices."""
    per_device = 10 * int(rng.integers(3, 30))
    return {"scale": 0.8 * per_device, "per_device": per_device, "gain": 1.12}


def _lone(rng: np.random.Generator) -> dict[str, Any]:
    per_device = int(rng.integers(100, 400))
    return {"scale": float(per_device // 4), "per_device": per_device, "gain": 1.5}
