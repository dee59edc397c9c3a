"""Pictures of copies of a model: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
import torch.distributed as dist
from torch.nn import functional

from gpuedu.clock import Interval, Timeline
from gpuedu.exercises.ddp.lane_pictures import shown
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)

PICTURES = pictures_of("ddp")

SAMPLER, COPIES, MICRO = map(solution_answers, ("sampler", "naive-ddp", "no-sync"))
BOTH = tuple(COPIES.values())
STEP = MICRO["Parallel"], MICRO["accumulated_step"]
DRAWN = {
    "ddp/four-ranks": (),
    "ddp/sent-late": (),
    "sampler": tuple(SAMPLER.values()),
    "naive-ddp": BOTH,
    "ddp/apart": BOTH,
    "ddp/one-step": BOTH,
    "no-sync": STEP,
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*DRAWN[name]))
    assert caplog.messages == []


def test_a_draft_is_drawn_by_itself():
    ax = PICTURES["sampler"](lambda samples, epoch, rank, ranks, seed: list(range(rank, 5)))
    assert_fit_to_print(ax)
    assert "17 never drawn, 4 more than once" in alt_text(ax)


def test_a_run_that_stops_is_said():
    def average(model, samples):
        for p in model.parameters():
            dist.all_reduce(p.grad)

    ax = PICTURES["naive-ddp"](lambda model: None, average)
    assert_fit_to_print(ax)
    assert [text.get_text() for text in ax.texts].count("it stops") == 3


def test_the_step_says_what_it_sends():
    ax = PICTURES["no-sync"](*STEP)
    assert "with 2 collectives of rank 0" in alt_text(ax)


def test_a_wait_that_an_all_reduce_covers_is_not_drawn():
    wait = Interval("rank 0", "wait", 0.0, 1.0)
    sent = Interval("rank 0", "collective", 1.0, 2.0)
    covered, other = replace(wait, start_s=1.0, end_s=2.0), replace(wait, lane="rank 1")
    line = shown(Timeline.of([wait, sent, covered, replace(other, start_s=1.0, end_s=2.0)]))
    assert [(one.lane, one.kind) for one in line.intervals] == [
        ("rank 0", "wait"),
        ("rank 0", "all-reduce"),
        ("rank 1", "wait"),
    ]


def test_a_step_that_exchanges_less_is_drawn_on_the_same_axis():
    def usual(parallel, optimizer, micro_batches):
        for x, y in micro_batches:
            parallel.backward(functional.cross_entropy(parallel.model(x), y))

    draft, solved = (PICTURES["no-sync"](STEP[0], step) for step in (usual, STEP[1]))
    assert draft.get_xlim() == pytest.approx(solved.get_xlim())
    for ax in (draft, solved):
        said = [text.get_text() for text in ax.texts]
        assert said.count("F") == said.count("B") == 12
