"""offload: a step by engine, with its races."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import Interval, Timeline
from gpuedu.exercises.sharding.offload.offload_runs import LANES, SHOWN, layer_of, run_offload
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import MS


def draw_offload(offload_step: Callable[..., Any]) -> Any:
    """Five layers: what computes, travels and is updated when."""
    run = run_offload(offload_step, SHOWN)
    wrong = [
        str(layer)
        for layer, (got, true) in enumerate(zip(run.weights, SHOWN.updated(), strict=True))
        if got is None or not np.allclose(got, true, rtol=1e-9)
    ]
    said = f"WRONG weights of layer {', '.join(wrong)}" if wrong else "weights right"
    count = len(run.races)
    raced = f"{count} race{'' if count == 1 else 's'}" if count else "no race"
    told = f"{run.end_s / MS:.3g} ms, {raced}, {said}"
    backward_s = SHOWN.layers * SHOWN.backward_s
    caption = Caption(
        title=told,
        x="simulated time",
        source="Numbers: layers. "
        f"Simulated: {SHOWN.layers} layers; {SHOWN.backward_s / MS:g} ms backward, "
        f"{SHOWN.copy_s / MS:g} ms over the link each way, {SHOWN.update_s / MS:g} ms on the host. "
        f"\nThe backward pass alone takes {backward_s / MS:g} ms; no step without a race is "
        f"shorter than {SHOWN.best_s / MS:g} ms.",
        alt=f"Timelines of kernels, copies and updates of {SHOWN.layers} layers. {told}.",
    )
    shown = Timeline.of([one for one in run.timeline.intervals if one.kind != "launch"])
    return plot_lanes(
        shown,
        caption=caption,
        lanes=LANES,
        races=run.races,
        end_s=max(SHOWN.in_turn_s * 1.02, run.end_s),
        texts=_texts_of,
    )


def _texts_of(one: Interval) -> tuple[str, ...]:
    """The layer's number; of a wait, that it is one."""
    own = {"update": one.label, "wait": "waits"}
    return (own.get(one.kind) or layer_of(one),)


PICTURE = draw_offload
