"""Pictures of numbers on their way: sums, a weight in 16 bits, Adam in 16 bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.returned import pair, require_state
from gpuedu.exercises.plain import number
from gpuedu.exercises.training.tensors import require_tensor
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.paths import Path, plot_paths

_COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.RED, style.PINK)
_COUNTED = "Computed here, with your functions."


def draw_sums(
    running: Callable[..., Any],
    pairwise: Callable[..., Any],
    kahan: Callable[..., Any],
    dot: Callable[..., Any],
) -> Any:
    """What each of the learner's sums of numbers near 0.01 has reached, and how far it is off."""
    counts = range(0, 8193, 512)
    # Of equal numbers, a pairwise sum only doubles: that would lose nothing.
    values = np.random.default_rng(10).uniform(0.0085, 0.0115, counts[-1]).astype(np.float16)
    ways: dict[str, Callable[[np.ndarray], Any]] = {
        "running": running,
        "pairwise": pairwise,
        "Kahan": kahan,
        "dot": lambda values: dot(values, np.ones_like(values)),
    }
    true = tuple(float(values[:n].astype(np.float64).sum()) for n in counts)
    with np.errstate(all="ignore"):
        reached = {
            name: tuple(
                number(way(values[:n].copy()), f"the {name} sum")
                if _is_asked(name, n)
                else math.nan
                for n in counts
            )
            for name, way in ways.items()
        }
    return _plot_sums(reached, true)


def _is_asked(name: str, n: int) -> bool:
    """Whether the lesson asks for a sum of so many: pairwise of powers of 2 only."""
    return name != "pairwise" or n & (n - 1) == 0


def _plot_sums(reached: Mapping[str, tuple[float, ...]], true: tuple[float, ...]) -> Any:
    """The sums on the left; on the right, far larger, how far they are off."""
    left, right = style.new_axes(3.6, columns=2)
    sums, errors = [], []
    for (name, values), colour in zip(reached.items(), _COLOURS, strict=False):
        off = tuple(a - b for a, b in zip(values, true, strict=True))
        sums.append(Path(f"{values[-1]:.5g}", true, values, colour))
        errors.append(Path(name, true, off, colour))
    told = ", ".join(f"{name}: {values[-1]:.5g}" for name, values in reached.items())
    source = f"{_COUNTED} All near 0.01, in all {true[-1]:.5g}. Pairwise: powers of 2 of numbers."
    alt = f"Four sums against the true sum, which ends at {true[-1]:.5g}. At the end: {told}."
    plot_paths(
        sums,
        caption=Caption("8,192 numbers, added", alt, source, x="true sum", y="sum"),
        y_limits=(0, 1.25 * true[-1]),
        ax=left,
    )
    plot_paths(
        errors,
        caption=Caption("How far off?", alt, source, x="true sum", y="sum - true sum"),
        y_limits=(-0.1, 0.1),
        ax=right,
    )
    return np.array([left, right])


def draw_weight(master_step: Callable[..., Any], round_stochastically: Callable[..., Any]) -> Any:
    """A bf16 weight on its way from 1 to 0: nearest, with a master, rounded by chance."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    steps, rate = 1000, 0.001
    with quiet_torch(seed=10):
        gradient = torch.ones(1, dtype=torch.bfloat16)
        plain = weight = master = torch.ones(1)
        chance = plain.bfloat16()
        plain = plain.bfloat16()
        rows = [(1.0, 1.0, 1.0)]
        for _ in range(steps):
            plain = plain - rate * gradient
            master, weight = pair(
                master_step(master, gradient, rate),
                "master_step",
                "the new master and the 16-bit weights",
            )
            wanted = chance.float() - rate * gradient.float()
            chance = round_stochastically(wanted, torch.bfloat16, torch.rand(1))
            require_tensor(chance, "the result of `round_stochastically`")
            rows.append(tuple(float(one) for one in (plain, weight, chance)))
    return _plot_weight(np.array(rows)[::10], range(0, steps + 1, 10), rate)


def _plot_weight(rows: np.ndarray, counts: Sequence[int], rate: float) -> Any:
    names = ("bf16 alone", "from a master", "by chance")
    x = tuple(float(count) for count in counts)
    paths = [
        Path(name, x, tuple(column), colour)
        for name, column, colour in zip(names, rows.T.tolist(), _COLOURS, strict=False)
    ]
    paths.append(
        Path("wanted", x, tuple(1 - rate * count for count in counts), style.INK, aim=True)
    )
    ends = ", ".join(f"{path.name}: {path.y[-1]:.4g}" for path in paths).replace("\n", " ")
    return plot_paths(
        paths,
        caption=Caption(
            "A bf16 weight of 1, and 1,000 updates of -0.001",
            f"The weight by step, three ways. At the end {ends}.",
            f"{_COUNTED} Every tenth step is drawn. Pale band: what is wanted.",
            x="step",
            y="weight",
        ),
        y_limits=(-0.15, 1.1),
    )


def draw_adam(
    adam_in_half: Callable[..., Any], begin: Callable[..., Any], adam_step: Callable[..., Any]
) -> Any:
    """How far ten steps move a weight, by the size of the gradient: in half, and the learner's."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    powers = np.arange(-24, 16)
    with quiet_torch():
        weight = torch.zeros(powers.size, dtype=torch.float16)
        gradient = torch.from_numpy(2.0**powers).half()
        halves = {"step": 0, "m": torch.zeros_like(weight), "v": torch.zeros_like(weight)}
        state, half, mended = require_state(begin(weight.clone())), weight, weight
        for _ in range(_ADAM_STEPS):
            half = adam_in_half(half, gradient, halves, _ADAM_RATE)
            mended = adam_step(state, gradient, _ADAM_RATE)
            require_tensor(mended, "the result of `adam_step`")
        way = _ADAM_STEPS * _ADAM_RATE
        moved = [tuple((-one.double() / way).tolist()) for one in (mended, half)]
    return _plot_adam(tuple(map(float, powers)), moved)


_ADAM_STEPS, _ADAM_RATE = 10, 0.001


def _plot_adam(powers: tuple[float, ...], moved: Sequence[tuple[float, ...]]) -> Any:
    names = ("adam_step", "adam_in_half")
    paths = [
        Path(name, powers, tuple(y if abs(y) < 1e3 else math.nan for y in way), colour)
        for name, way, colour in zip(names, moved, _COLOURS, strict=False)
    ]
    told = "; ".join(f"{path.name} {_ends(path)}" for path in paths)
    return plot_paths(
        paths,
        caption=Caption(
            "Ten steps of Adam: how far do they move a weight?",
            f"Movement, 1 for ten times the rate, by the size of the gradient. {told}.",
            f"{_COUNTED} Gradients are powers of 2. Infinite and NaN are not drawn.",
            x="gradient: 2 to the power of ...",
            y="moved / (10 * rate)",
        ),
        y_limits=(-0.1, 1.4),
    )


def _ends(path: Path) -> str:
    drawn = [x for x, y in path.drawn if y > 0]
    return f"moves from 2**{drawn[0]:.0f} to 2**{drawn[-1]:.0f}" if drawn else "does not move"


NUMBER_PICTURES = {
    "accumulate": draw_sums,
    "master-weights": draw_weight,
    "adam-in-half": draw_adam,
}
