"""Verdicts on buckets and overlap: right answers, what a card says of a slip, truths held."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.card import report_card
from gpuedu.exercises.ddp.buckets.bucket_pictures import RANKS
from gpuedu.exercises.ddp.buckets.resnet50 import parameter_bytes
from gpuedu.exercises.ddp.overlap.judge.overlap_times import times_of
from gpuedu.multi import network
from tests.exercises.ddp import exchange_answers as right
from tests.exercises.ddp.exchange_answers import EXERCISES, RIGHT, fault, hand_in, lost


@pytest.mark.parametrize("name", RIGHT)
def test_the_reference_earns_all_points(name):
    for seed in range(3):
        report = hand_in(name, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))


@pytest.mark.parametrize("name", RIGHT)
def test_every_property_is_decided_and_seeds_draw_other_cases(name):
    judge = EXERCISES[name].judge
    first, second = (judge.cases(np.random.default_rng(seed)) for seed in (1, 2))
    assert {prop for case in first for prop in case.decides} == {p.name for p in judge.properties}
    assert [dict(case.inputs) for case in first] != [dict(case.inputs) for case in second]


def test_points_are_as_the_lesson_says():
    assert {name: one.judge.points for name, one in EXERCISES.items()} == {
        "buckets": 7,
        "overlap": 8,
    }


def test_the_prediction_of_messages_is_the_closed_form():
    link, sizes = network.link("nvlink4"), parameter_bytes()
    each = sum(network.ring_all_reduce_s(RANKS, size, link) for size in sizes)
    once = network.ring_all_reduce_s(RANKS, sum(sizes), link)
    truth = EXERCISES["buckets"].judge.predictions["buckets"].truth
    assert (len(sizes), sum(sizes)) == (161, 4 * 25_557_032)
    assert truth == pytest.approx(each / once, abs=0.05)


def test_the_prediction_of_overlap_is_the_recurrence():
    end_ms = 0.0
    for layer in range(8):
        end_ms = max(end_ms, layer + 1.0) + 1.25
    assert EXERCISES["overlap"].judge.predictions["overlap"].truth == end_ms


def test_most_of_the_exchange_can_be_hidden_in_every_case():
    for seed in range(10):
        for case in EXERCISES["overlap"].judge.cases(np.random.default_rng(seed)):
            if "hidden" in case.decides:
                times = times_of(case.inputs)
                assert times.naive_s - times.best_s > 0.6 * sum(times.exchanges_s)


def one_each(params, first_bytes, max_bytes):
    return [[p] for p in reversed(params) if p.requires_grad]


def by_elements(params, first_bytes, max_bytes):
    return right.make_buckets(params, 4 * first_bytes, 4 * max_bytes)


def nothing(params, first_bytes, max_bytes):
    return None


def gradients(params, first_bytes, max_bytes):
    return [[p.grad for p in params]]


def first_of_each_type(params, first_bytes, max_bytes):
    made = []
    for kind in {p.dtype for p in params}:
        made += right.make_buckets([p for p in params if p.dtype == kind], first_bytes, max_bytes)
    places = {p: place for place, p in enumerate(params)}
    return sorted(made, key=lambda bucket: -places[bucket[0]])


def four_bytes(params, first_bytes, max_bytes):
    buckets, used, newest = [], [], {}
    for p in reversed([p for p in params if p.requires_grad]):
        at = newest.get(p.dtype)
        if at is None or used[at] + 4 * p.numel() > (max_bytes if at else first_bytes):
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += 4 * p.numel()
    return buckets


def begins_empty(params, first_bytes, max_bytes):
    return right.make_buckets(params, first_bytes, max_bytes) or [[]]


def sums(buckets):
    for bucket in buckets:
        flat = right.flatten(bucket)
        dist.all_reduce(flat)
        right.write_back(flat, bucket)


@pytest.mark.parametrize(
    ("answers", "prop", "told"),
    [
        ((one_each, right.reduce_buckets), "few", r"14 buckets where \d are enough.*room for"),
        ((by_elements, right.reduce_buckets), "limits", r"So many \*elements\*"),
        ((nothing, right.reduce_buckets), "once", "a list of buckets, got None"),
        ((gradients, right.reduce_buckets), "once", "none of the parameters.*no gradients"),
        ((first_of_each_type, right.reduce_buckets), "few", "not for the first of each type"),
        ((four_bytes, right.reduce_buckets), "few", "You count 4 bytes an element"),
        ((begins_empty, right.reduce_buckets), "few", r"bucket 0 is empty.*\[\[\]\]"),
        ((right.make_buckets, sums), "mean", "It is the sum over the ranks"),
        ((right.make_buckets, lambda buckets: None), "mean", "unchanged"),
        ((right.make_buckets, lambda buckets: None), "few", "nothing at all"),
    ],
)
def test_cards_on_buckets(answers, prop, told):
    assert re_search(told, fault(hand_in("buckets", *answers), prop))


def re_search(pattern: str, text: str):
    return re.search(pattern, " ".join(text.split()))


def draft(buckets):
    def hook(p):
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


def late(buckets):
    return lambda: right.reduce_buckets(buckets)


def one_a_hook(buckets):
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        flat = right.flatten(buckets[len(started)])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p, k):
        left[k] -= 1
        if len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            work.wait()
            right.write_back(flat / dist.get_world_size(), bucket)
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for k, bucket in enumerate(buckets):
        for p in bucket:
            p.register_post_accumulate_grad_hook(lambda p, k=k: hook(p, k))
    return finish


def calls_finish(buckets):
    return right.attach(buckets)()


def crashes(buckets):
    def hook(p):
        raise IndexError("no such bucket")

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


def waits_for_ever(buckets):
    finish = late(buckets)
    return lambda: finish() if dist.get_rank() else dist.barrier()


def skips_none(buckets):
    finish = right.attach(buckets)

    def and_forgets():
        without = [p for bucket in buckets for p in bucket if p.grad is None]
        finish()
        for p in without:
            p.grad = None

    return and_forgets


def nothing_sent(buckets):
    return lambda: None


@pytest.mark.parametrize(
    ("answer", "prop", "told"),
    [
        (draft, "hidden", "Hidden: 0% of what can be.*each with its latency"),
        (draft, "whole", "5 buckets; .*: 18 all_reduce"),
        (late, "hidden", "called when the backward was over"),
        (one_a_hook, "hidden", "Bucket 1 was complete.*how many does a hook send"),
        (calls_finish, "mean", "should return the function `finish`"),
        (crashes, "mean", "rank 0 failed: IndexError: no such bucket"),
        (waits_for_ever, "mean", "barrier"),
        (nothing_sent, "mean", "rank's own gradient: nobody sent it"),
        (nothing_sent, "hidden", "nothing was exchanged"),
        (skips_none, "unused", "is None.*who writes the mean back"),
    ],
)
def test_cards_on_overlap(answer, prop, told):
    assert re_search(told, fault(hand_in("overlap", answer), prop))


def test_what_is_right_but_late_loses_one_property():
    assert lost(hand_in("overlap", late)) == {"hidden"}


def test_a_notebook_without_gradients_is_no_matter():
    with torch.no_grad():
        assert hand_in("overlap").state == "solved"
