"""sampler: its picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.exercises.ddp.sampler.sampling import draw_epoch, draw_evaluation
from gpuedu.figures.caption import Caption
from gpuedu.figures.draws import plot_draws

SAMPLES, RANKS, SEED = 22, 4, 0


def draw_sampler(
    train_part: Callable[..., Any], eval_part: Callable[..., Any] | None = None
) -> Any:
    """Who draws which sample: two epochs of 22 samples on 4 ranks, and an evaluation."""
    groups = [
        (
            f"epoch {epoch}",
            draw_epoch(train_part, SAMPLES, epoch, RANKS, SEED, states=1 + epoch).parts,
        )
        for epoch in range(2)
    ]
    if eval_part is not None:
        groups.append(("evaluation", draw_evaluation(eval_part, SAMPLES, RANKS)))
    said = [(f"{name}: {tell(parts)}", parts) for name, parts in groups]
    caption = Caption(
        title=f"{SAMPLES} samples on {RANKS} ranks",
        x="a rank's draws, from left to right; striped: already drawn by a rank",
        source="Drawn by your functions just now; every rank has its own random state.",
        alt="Rows of numbered cells, one for each rank: the samples that it draws. "
        + "; ".join(name for name, _ in said)
        + ".",
    )
    return plot_draws(said, caption=caption)


def tell(parts: Sequence[Sequence[int]]) -> str:
    """How many samples are never drawn, and how many more than once."""
    counts = Counter(i for part in parts for i in part)
    never, more = SAMPLES - len(counts), sum(count > 1 for count in counts.values())
    if never:
        return f"{never} never drawn, {more} more than once"
    return f"all drawn, {more} more than once" if more else "each drawn once"


PICTURE = draw_sampler
