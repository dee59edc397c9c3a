"""rendezvous: its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.rendezvous.elastic_job import NEAR, Shape
from gpuedu.exercises.clusters.rendezvous.lives import History, Life, live
from gpuedu.figures.caption import Caption
from gpuedu.figures.lives import DrawnLife, plot_lives

SHAPE, EVERY = Shape(samples=50, batch=12, fits=4, epochs=3, seed=7), 20
LIVES = (
    Life(("a", "b", "c", "d"), "dies", 1, "step", 3),
    Life(("c", "a", "d"), "joins", 2, "step", 3),
    Life(("e", "a", "c", "d"), "dies", 2, "step", 3),
    Life(("a", "e")),
)
MEETING_S = 2.0


def draw_lives(
    next_batch: Callable[..., Any], shares: Callable[..., Any], train: Callable[..., Any]
) -> Any:
    """The learner's training in four lives on simulated workers."""
    own = (next_batch, shares)
    history = live(train, SHAPE, EVERY, LIVES, lend_to=own)
    if history.failure:
        told = f"life {history.life + 1}: {history.failure}"
        raise AnswerError(told, remedy=history.remedy)
    alone = live(train, SHAPE, EVERY, [Life(("one",))], lend_to=own)
    off = float(np.abs(np.array(history.states[-1][4]) - np.array(alone.states[-1][4])).max())
    drawn = drawn_lives(history, LIVES)
    trained = sum(len(act[4]) for act in history.acts if act[2] == "gradient")
    total, saves = SHAPE.samples * SHAPE.epochs, sum(len(one.saves) for one in drawn)
    same = "the same weights as one worker" if off < NEAR else f"weights off by {off:.1g}"
    caption = Caption(
        title=f"Four lives, {saves} {'checkpoint' if saves == 1 else 'checkpoints'}, and {same}",
        x="simulated time; pauses, in which workers meet, are not to scale",
        source=f"Simulated: {total} samples in batches of {SHAPE.batch}, a checkpoint every "
        f"{EVERY}; a worker takes 0.5 s a sample.\nCounting what no checkpoint kept, gradients of "
        f"{trained} samples were computed.",
        alt=f"{in_words(drawn)} It ends with {same}.",
    )
    return plot_lives(
        drawn, caption=caption, rows=sorted({w for one in LIVES for w in one.workers})
    )


def drawn_lives(history: History, lives: Sequence[Life]) -> list[DrawnLife]:
    """Lives one after another, with a pause in which workers meet."""
    found, begin_s = [], 0.0
    for number, life in enumerate(lives):
        acts = [act for act in history.acts if act[0] == number]
        ends = [act[5] for act in acts if act[2] == life.end]
        end_s = ends[0] if ends else max((act[5] for act in acts), default=0.0)
        saves = [begin_s + act[5] for act in acts if act[2] == "save" and act[5] <= end_s]
        after = lives[number + 1].workers if number + 1 < len(lives) else life.workers
        before = lives[number - 1].workers if number else life.workers
        died = tuple(name for name in life.workers if name not in after)
        joined = tuple(name for name in life.workers if name not in before)
        end_s += begin_s
        found.append(DrawnLife(life.workers, begin_s, end_s, tuple(saves), died, joined))
        begin_s = end_s + MEETING_S
    return found


def in_words(lives: Sequence[DrawnLife]) -> str:
    """Who was which rank in which life, and what ended it."""
    told = []
    for number, life in enumerate(lives, start=1):
        ranks = ", ".join(f"{name} is rank {rank}" for rank, name in enumerate(life.workers))
        lost_s = life.end_s - life.kept_until_s
        one = (
            f"Life {number}, {len(life.workers)} workers: {ranks}; {lost_s:.1f} s in no checkpoint"
        )
        one += f"; {' and '.join(life.joined)} joined" if life.joined else ""
        one += f"; {' and '.join(life.died)} killed at its end" if life.died else ""
        told.append(f"{one}.")
    return " ".join(told)


PICTURE = draw_lives
