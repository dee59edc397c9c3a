"""schedule: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.batch_and_learning_rate.schedule.plans import SHAPES, SHOWN
from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

_BEYOND = 3


_LOOKS = {"linear": style.BLUE, "cosine": style.ORANGE}


def draw_schedule(rate_at: Any) -> Any:
    """The learner's rates at every step of a short run, and what its edges should have."""
    steps = tuple(range(SHOWN.steps + _BEYOND))
    by_shape = {
        shape: tuple(
            as_number(rate_at(step, *SHOWN._replace(shape=shape)), "the rate") for step in steps
        )
        for shape in SHAPES
    }
    told = [f"{name}: {', '.join(f'{r:.2f}' for r in rates)}" for name, rates in by_shape.items()]
    if len(set(by_shape.values())) == 1:  # one line would hide the other
        by_shape = {"linear\nand cosine": by_shape["linear"]}
    lines = [
        CountLine(name, steps, rates, _LOOKS.get(name, style.BLUE), signed=True)
        for name, rates in by_shape.items()
    ]
    last = SHOWN.steps - 1
    edges = {0: SHOWN.peak / SHOWN.warmup, SHOWN.warmup - 1: SHOWN.peak}
    edges |= dict.fromkeys(steps[last:], SHOWN.low)
    lines.append(CountLine("asked for", tuple(edges), tuple(edges.values()), style.INK, dots=True))
    caption = Caption(
        title=f"The rates of a run of {SHOWN.steps} steps; rings: its edges, as asked for",
        x=f"step, from 0; the run ends with step {last}",
        y="learning rate",
        source=f"The function above: a warm-up of {SHOWN.warmup} steps, peak {SHOWN.peak:g}, "
        f"low {SHOWN.low:g}.",
        alt=f"Rates over the steps of a run and {_BEYOND} beyond it. {'; '.join(told)}.",
    )
    return plot_by_count(lines, caption=caption)


PICTURE = draw_schedule
