"""Buckets and overlap: predictions and times held to models, refusals, what is undecided."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.contract import Case, Fault, Undecided
from gpuedu.exercises.ddp.buckets.judge import JUDGE as BUCKETS
from gpuedu.exercises.ddp.buckets.judge.bucket_cases import cases as bucket_cases
from gpuedu.exercises.ddp.buckets.picture import RANKS
from gpuedu.exercises.ddp.buckets.resnet50 import parameter_bytes
from gpuedu.exercises.ddp.overlap.judge import JUDGE as OVERLAP
from gpuedu.exercises.ddp.overlap.judge.overlap_times import times_of
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.multi import network
from tests.exercises.stored import solution_answers


def faults(report):
    """What the card says of each property that does not hold."""
    return {one.property.name: one.fault for one in report.results if one.fault}


def test_the_prediction_of_messages_is_the_closed_form():
    link, sizes = network.link("nvlink4"), parameter_bytes()
    each = sum(network.ring_all_reduce_s(RANKS, size, link) for size in sizes)
    once = network.ring_all_reduce_s(RANKS, sum(sizes), link)
    assert (len(sizes), sum(sizes)) == (161, 4 * 25_557_032)
    assert BUCKETS.predictions["buckets"].truth == pytest.approx(each / once, abs=0.05)


def test_the_prediction_of_overlap_is_the_recurrence():
    end_ms = 0.0
    for layer in range(8):
        end_ms = max(end_ms, layer + 1.0) + 1.25
    assert OVERLAP.predictions["overlap"].truth == end_ms


def test_most_of_the_exchange_can_be_hidden_in_every_case():
    for seed in range(10):
        for case in OVERLAP.cases(np.random.default_rng(seed)):
            if "hidden" in case.decides:
                times = times_of(case.inputs)
                assert times.naive_s - times.best_s > 0.6 * sum(times.exchanges_s)


def test_a_room_that_was_left_is_told():
    case = bucket_cases(np.random.default_rng(0))[0]
    one_each = [[place] for place in reversed(range(14))]
    limits, types, few = BUCKETS.seen(case, {"buckets": [one_each], "kept": True})
    assert type(limits) is type(types) is Undecided
    assert re.fullmatch(r"14 buckets where \d are enough: bucket 0 ends with room .*", few.message)


def test_where_no_parameter_is_in_a_bucket_the_rest_is_undecided():
    case = bucket_cases(np.random.default_rng(0))[0]
    found = {one.property: type(one) for one in BUCKETS.seen(case, {"buckets": [[]], "kept": True})}
    others = dict.fromkeys(("limits", "types", "order", "few"), Undecided)
    assert found == {"once": Fault, **others}


def test_where_nothing_trains_no_bucket_is_right():
    trains = {"shapes": [[7]], "types": ["float32"], "trains": [False]}
    limits = {"ask": "make", "first_bytes": 9, "max_bytes": 9}
    case = Case("", trains | limits, ("once", "limits", "types", "order", "few"))
    assert not list(BUCKETS.seen(case, {"buckets": [[]], "kept": True}))


@pytest.mark.parametrize(
    ("make_buckets", "told"),
    [
        (lambda params, first, most: None, "a list of buckets, got None"),
        (lambda params, first, most: [[p.grad for p in params]], "none of the parameters"),
    ],
)
def test_what_are_no_buckets_is_refused(make_buckets, told):
    answers = solution_answers("buckets") | {"make_buckets": make_buckets}
    assert told in faults(examine(load("buckets"), list(answers.values())))["once"].message


def calls_finish(buckets):
    return solution_answers("overlap")["attach"](buckets)()


def crashes(buckets):
    def hook(p):
        raise IndexError("no such bucket")

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


def waits_for_ever(buckets):
    return lambda: dist.get_rank() or dist.barrier()


@pytest.mark.parametrize(
    ("attach", "told"),
    [
        (calls_finish, "should return the function `finish`"),
        (crashes, "rank 0 failed: IndexError: no such bucket"),
        (waits_for_ever, "barrier"),
    ],
)
def test_a_run_that_fails_is_told(attach, told):
    assert told in faults(examine(load("overlap"), [attach]))["mean"].message


def test_the_time_of_a_step_without_an_exchange_is_undecided():
    found = faults(examine(load("overlap"), [lambda buckets: lambda: None]))
    assert isinstance(found["hidden"], Undecided)
    assert not isinstance(found["whole"], Undecided)


def test_a_notebook_without_gradients_is_no_matter():
    with torch.no_grad():
        report = examine(load("overlap"), list(solution_answers("overlap").values()))
    assert report.state == "solved"
