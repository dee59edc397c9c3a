"""Pictures of the second half: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import copy
import itertools

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp import bucket_size_pictures, real_pictures
from gpuedu.exercises.ddp.overlap import measure as real_steps
from gpuedu.exercises.ddp.overlap import picture as overlap_picture
from gpuedu.exercises.ddp.overlap.exchange_ways import attach_late
from gpuedu.figures.style import alt_text, to_png
from gpuedu.multi import network
from gpuedu.profiles import profile
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("ddp")
ATTACH = solution_answers("overlap")["attach"]
DRAFT = stored_answers("overlap", "wrong", "the_draft")["attach"]
DRAFT.__name__ = "draft"

REAL = {
    "forward": [[0.001 * n, 0.001 * n + 0.001] for n in range(6)],
    "backward": [[0.006 + 0.002 * n, 0.008 + 0.002 * n] for n in range(6)],
    "all_reduce": [[0.008 + 0.002 * n, 0.0105 + 0.002 * n] for n in range(6)],
    "step": [0.0, 0.024],
}
DRAWN = [
    ("buckets", (solution_answers("buckets")["make_buckets"],)),
    ("buckets", (stored_answers("buckets", "wrong", "one_message_each")["make_buckets"],)),
    ("overlap", (ATTACH,)),
    ("overlap", (DRAFT,)),
    ("overlap", (attach_late,)),
    ("ddp/bucket-size", ()),
    ("ddp/real-trace", (REAL,)),
]


@pytest.mark.parametrize(("name", "answers"), DRAWN)
def test_every_picture_is_fit_to_print(name, answers):
    ax = PICTURES[name](*answers)
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(ax)) > 10_000


def test_the_step_of_the_picture_is_shorter_with_hooks():
    title = overlap_picture.draw_overlap(ATTACH).get_title(loc="left")
    assert title == "Your hooks hide 73% of the exchange: 7 ms less than sending afterwards"
    title = overlap_picture.draw_overlap(DRAFT).get_title(loc="left")
    assert title == "The draft hides 0% of the exchange: 3.6 ms more than sending afterwards"


def test_a_rank_and_its_network_are_two_lanes_without_rounding():
    run = overlap_picture.train_overlapped(
        ATTACH,
        overlap_picture.PLAN,
        overlap_picture.BUCKETS,
        overlap_picture.cluster_of(overlap_picture.RANKS, 1e-4, 1e7),
    )
    shown = overlap_picture.lanes_of(run.timeline)
    assert set(shown.lanes) == {"rank 0", "network"}
    sends = shown.on("network")
    assert len(sends) == overlap_picture.LAYERS
    assert all(a.end_s <= b.start_s for a, b in itertools.pairwise(sends))


def test_buckets_of_a_middle_size_leave_least():
    link = network.link("ethernet100")
    small, middle, whole = (bucket_size_pictures.step_s(n, link) for n in (10**4, 10**7, 2 * 10**8))
    alone = network.ring_all_reduce_s(bucket_size_pictures.RANKS, 102_228_128, link)
    assert middle < whole < small
    assert whole == pytest.approx(bucket_size_pictures.BACKWARD_S + alone, rel=0.05)


def test_a_profile_is_read_into_what_is_drawn():
    layer = torch.nn.Linear(4, 4)
    seen = profile(lambda: layer(torch.ones(2, 4)).sum().backward(), steps=1, warmup=1)
    real = real_steps.spans_of(seen)
    assert (len(real["forward"]), len(real["backward"]), real["all_reduce"]) == (1, 1, [])
    assert real["forward"][0][1] <= real["backward"][0][0] < real["step"][1]


@pytest.mark.parametrize("real", [{}, None, {**REAL, "all_reduce": []}])
def test_a_trace_without_exchange_is_told(real):
    with pytest.raises(AnswerError):
        real_pictures.draw_real_trace(copy.deepcopy(real))


def test_the_share_of_a_trace_is_that_of_the_time():
    # The last all-reduce is after the backward pass: 2.5 of 12.5 ms, all under way from 8 ms on.
    title = real_pictures.draw_real_trace(REAL).get_title(loc="left")
    assert "during 80% of the exchange" in title


@pytest.mark.parametrize("answer", [lambda buckets: None, lambda buckets: buckets[99]])
def test_what_cannot_be_drawn_is_told(answer):
    with pytest.raises(AnswerError):
        PICTURES["overlap"](answer)
