"""memory-ledger: its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.memory_ledger.play import HELD, held_of, saved_of
from gpuedu.exercises.training_step.memory_ledger.small_nets import Layer, measure
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.ledger import LedgerPair, plot_ledger

if TYPE_CHECKING:
    pass

from gpuedu.exercises.training_step.memory_pictures import here, told_how

SAMPLES, OPTIMIZER = 256, "adam"


NETWORK: list[Layer] = [
    ("flatten", 64, 64),
    ("linear", 64, 256),
    ("relu", 256, 256),
    ("linear", 256, 192),
    ("norm", 192, 192),
    ("gelu", 192, 192),
    ("linear", 192, 10),
]


TOLERANCE = 0.05


def draw_ledger(held_bytes: Any, saved_bytes: Any) -> Any:
    """The learner's ledger of a network of seven layers, beside what a step of it has."""
    own = held_of(held_bytes, NETWORK, OPTIMIZER)
    saved = saved_of(saved_bytes, SAMPLES, NETWORK)
    with quiet_torch():
        found = measure(SAMPLES, NETWORK, OPTIMIZER, here())
    pairs = [LedgerPair(name, own[name], getattr(found, name)) for name in HELD]
    names = [f"saved by layer {at}, {kind}" for at, (kind, _, _) in enumerate(NETWORK)]
    names.append("saved by the loss")
    pairs += [
        LedgerPair(name, mine, counted)
        for name, mine, counted in zip(names, saved, found.saved, strict=True)
        if mine or counted
    ]
    off = [pair.name for pair in pairs if abs(pair.difference) > TOLERANCE]
    caption = Caption(
        title="Your ledger of a step, beside the step",
        x="memory",
        source=f"{told_how(found.device)}: {SAMPLES:,} samples, Adam, float32.\nPercent: how far "
        "your number is from the count.",
        alt=f"Pairs of bars for {len(pairs)} lines of the ledger, your number and the count. "
        + (f"More than 5% off: {', '.join(off)}." if off else "All are within 5%."),
    )
    return plot_ledger(pairs, caption=caption, tolerance=TOLERANCE)


PICTURE = draw_ledger
