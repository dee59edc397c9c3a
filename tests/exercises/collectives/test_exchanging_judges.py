"""Verdicts on collectives of sends and receives: points, causes on the card, exact bytes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.collectives.collective_runs import LINK, collect
from gpuedu.exercises.collectives.judge.partial_sums import made_of
from gpuedu.exercises.registry import load_judge
from gpuedu.multi.exchanges import link_bytes, sent_bytes
from gpuedu.multi.network import (
    Cluster,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    simulate,
)
from tests.exercises.collectives.exchanging_answers import (
    NAMES,
    define,
    fault,
    hand_in,
    right,
    stored,
)

SCHEDULES = {
    "reduce-scatter": ring_reduce_scatter,
    "all-gather": ring_all_gather,
    "ring-all-reduce": ring_all_reduce,
}


@pytest.mark.parametrize("exercise", NAMES)
def test_a_right_answer_earns_all_points(exercise):
    for seed in (3, 4):
        assert hand_in(exercise, right(exercise), seed).state == "solved"


@pytest.mark.parametrize("exercise", NAMES)
def test_every_property_is_decided_and_seeds_draw_other_cases(exercise):
    judge = load_judge(exercise)
    first, second = (judge.cases(np.random.default_rng(seed)) for seed in (1, 2))
    assert {name for case in first for name in case.decides} == {p.name for p in judge.properties}
    pairs = zip(first, second, strict=True)
    assert all(
        not np.array_equal(a.inputs["values"], b.inputs["values"], equal_nan=True) for a, b in pairs
    )


def test_points_are_as_the_lesson_says():
    assert {name: load_judge(name).points for name in NAMES} == {
        "broadcast-tree": 5,
        "reduce-scatter": 7,
        "all-gather": 5,
        "ring-all-reduce": 8,
    }


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("ranks", range(2, 9))
def test_the_ring_moves_exactly_its_bytes_and_takes_the_time_of_the_model(ranks, extra):
    size = 6 * ranks + extra
    tensors = [torch.arange(size, dtype=torch.float64) * (rank + 1) for rank in range(ranks)]
    expected = sum(tensors)
    found = collect(right("ring-all-reduce"), tensors)
    assert all(torch.equal(one, expected) for one in found.tensors)
    sent, whole = sent_bytes(found.run.exchanges, ranks), 8 * size
    chunks = [8 * len(one) for one in expected.tensor_split(ranks)]
    assert sum(sent) == 2 * (ranks - 1) * whole
    # A rank leaves out its own chunk the first time round, and the next rank's the second time.
    assert sent == [2 * whole - chunks[r] - chunks[(r + 1) % ranks] for r in range(ranks)]
    assert set(link_bytes(found.run.exchanges)) == {(r, (r + 1) % ranks) for r in range(ranks)}
    if not extra:
        model_s = simulate(ring_all_reduce(ranks, whole), Cluster(ranks, LINK)).time_s
        assert found.run.time_s == pytest.approx(model_s)


@pytest.mark.parametrize("ranks", [2, 5, 8])
@pytest.mark.parametrize("exercise", SCHEDULES)
def test_every_ring_takes_the_time_of_the_model(exercise, ranks):
    tensors = [torch.ones(10 * ranks) for _ in range(ranks)]
    found = collect(right(exercise), tensors)
    model = simulate(SCHEDULES[exercise](ranks, 40 * ranks), Cluster(ranks, LINK))
    assert found.run.time_s == pytest.approx(model.time_s)
    assert sum(sent_bytes(found.run.exchanges, ranks)) == model.sent_bytes.sum()


@pytest.mark.parametrize(
    ("exercise", "name", "prop", "said"),
    [
        ("broadcast-tree", "loop_over_receivers", "rounds", "Rank 0 sends all messages"),
        ("broadcast-tree", "all_at_once", "rounds", "leave by one port"),
        ("broadcast-tree", "chain", "rounds", "a chain"),
        ("broadcast-tree", "powers_of_two", "any-count", "Rank 0 is done already"),
        ("broadcast-tree", "receives_first", "arrives", "who sends the first one"),
        ("broadcast-tree", "root_is_zero", "any-root", "never receives"),
        ("broadcast-tree", "the_library", "messages", "called `dist.broadcast` (line 2"),
        ("broadcast-tree", "never_waits_for_its_sends", "arrives", "Nobody waited for that"),
        ("broadcast-tree", "another_name", "arrives", "It received, but not into `x`"),
        ("broadcast-tree", "into_a_copy", "arrives", "Your function returns a tensor"),
        ("reduce-scatter", "sends_first", "sum", "They all send"),
        ("reduce-scatter", "even_and_odd", "at-once", "one direction of its links at a time"),
        ("reduce-scatter", "reads_too_early", "sum", "before it had arrived"),
        ("reduce-scatter", "one_buffer", "sum", "a receive into it writes, too"),
        ("reduce-scatter", "never_waits_for_its_sends", "sum", "Nobody waited for that"),
        ("reduce-scatter", "returns_it", "sum", "`x` is as it was"),
        ("reduce-scatter", "drops_the_rest", "ragged", "in none of your chunks"),
        ("reduce-scatter", "straight_to_the_owner", "neighbours", "rank 1 sends to rank 0"),
        ("reduce-scatter", "replaces", "sum", "nothing of rank 0's"),
        ("all-gather", "always_its_own", "everything", "it holds chunk 2"),
        ("all-gather", "indices_of_the_reduce_scatter", "everything", "not those of the reduce"),
        ("all-gather", "adds", "everything", "or added to what was there"),
        ("all-gather", "whole_tensors", "ring", "Which part of the tensor does a step need"),
        ("all-gather", "once_round", "ring", "one chunk too many"),
        ("ring-all-reduce", "adds_all_the_way", "sum", "rank 0's twice and rank 1's"),
        ("ring-all-reduce", "rows", "bytes", "make a single row of `x` first"),
        ("ring-all-reduce", "mean", "sum", "the mean, the sum divided by 2"),
        ("ring-all-reduce", "own_order", "same-bits", "rounded in another order"),
        ("ring-all-reduce", "a_new_tensor", "in-place", "into a copy"),
        ("ring-all-reduce", "tree", "bytes", "at once, and a chunk has"),
        ("ring-all-reduce", "no_empty_chunks", "ragged", "IndexError"),
    ],
)
def test_a_card_names_what_went_wrong(exercise, name, prop, said):
    assert said in fault(hand_in(exercise, stored(exercise, "wrong", name)), prop)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(x):\n    dist.send([1.0], 1 - dist.get_rank())\n", "a send is of a tensor"),
        ("def f(x):\n    x.resize_(3)\n", "has shape (3,)"),
        ("def f(x):\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def f(x):\n    pass\n", "is -"),
        ("def f(x):\n    x.zero_()\n", "holds zeros"),
    ],
)
def test_bad_answers_are_told(code, said):
    report = hand_in("ring-all-reduce", define(code, "f"))
    assert report.points <= 1
    assert said in fault(report, "sum")


def test_doing_nothing_and_zeroing_earn_nothing_for_costs_or_bits():
    for code in ("def f(x):\n    pass\n", "def f(x):\n    x.zero_()\n"):
        for exercise in ("reduce-scatter", "all-gather", "ring-all-reduce"):
            assert hand_in(exercise, define(code, "f")).points == 0


def test_what_a_sum_is_made_of():
    values = np.random.default_rng(0).normal(size=(3, 6))
    assert made_of(values, values[1] + values[2]) == "rank 1's and rank 2's, nothing of rank 0's"
    assert made_of(values, values.sum(axis=0)) == "the sum of all ranks'"
    assert made_of(values, values.mean(axis=0)) == "the mean, the sum divided by 3"
    assert made_of(values, values[0] * values[1]) == ""
    assert made_of(values[:, :2], values[0, :2]) == ""  # too few elements to tell
    assert made_of(values, np.full(6, np.nan)) == ""
