"""Collectives around a ring: their runs against the schedules' models, and answers that do nothing."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.collectives.clusters import LINK
from gpuedu.exercises.contract import Exercise, Undecided
from gpuedu.exercises.examine import examine
from gpuedu.exercises.ranks.in_place import call_in_place
from gpuedu.exercises.registry import load_judge, load_play
from gpuedu.multi.exchanges import link_bytes, sent_bytes
from gpuedu.multi.network import (
    Cluster,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    simulate,
)
from tests.exercises.stored import solution_answers

SCHEDULES = {
    "reduce-scatter": ring_reduce_scatter,
    "all-gather": ring_all_gather,
    "ring-all-reduce": ring_all_reduce,
}


def run(exercise, tensors):
    (answer,) = solution_answers(exercise).values()
    cluster = Cluster(len(tensors), LINK)
    return call_in_place(answer, [(one,) for one in tensors], cluster=cluster)


def hand_in(exercise, answer):
    whole = Exercise(exercise, "collectives", load_play(exercise), load_judge(exercise))
    return examine(whole, [answer])


@pytest.mark.parametrize(("ranks", "extra"), [(2, 0), (2, 1), (3, 1), (5, 0), (8, 1)])
def test_the_ring_moves_exactly_its_bytes(ranks, extra):
    size = 6 * ranks + extra
    tensors = [torch.arange(size, dtype=torch.float64) * (rank + 1) for rank in range(ranks)]
    expected = sum(tensors)
    found = run("ring-all-reduce", tensors)
    assert all(torch.equal(one, expected) for (one,) in found.tensors)
    sent, whole = sent_bytes(found.run.exchanges, ranks), 8 * size
    chunks = [8 * len(one) for one in expected.tensor_split(ranks)]
    # A rank leaves out its own chunk the first time around, and the next rank's the second time.
    assert sent == [2 * whole - chunks[r] - chunks[(r + 1) % ranks] for r in range(ranks)]
    assert set(link_bytes(found.run.exchanges)) == {(r, (r + 1) % ranks) for r in range(ranks)}


@pytest.mark.parametrize("ranks", [2, 5, 8])
@pytest.mark.parametrize("exercise", SCHEDULES)
def test_every_ring_takes_the_time_of_the_model(exercise, ranks):
    found = run(exercise, [torch.ones(10 * ranks) for _ in range(ranks)])
    model = simulate(SCHEDULES[exercise](ranks, 40 * ranks), Cluster(ranks, LINK))
    assert found.run.time_s == pytest.approx(model.time_s)
    assert sum(sent_bytes(found.run.exchanges, ranks)) == model.sent_bytes.sum()


@pytest.mark.parametrize("answer", [lambda x: None, lambda x: x.zero_()])
@pytest.mark.parametrize("exercise", SCHEDULES)
def test_doing_nothing_and_zeroing_earn_nothing_and_cost_nothing(exercise, answer):
    report = hand_in(exercise, answer)
    assert report.points == 0
    costs = [one for one in report.results if one.property.name in ("bytes", "ring", "at-once")]
    assert all(isinstance(one.fault, Undecided) for one in costs)


def test_a_shape_that_was_changed_is_told():
    report = hand_in("ring-all-reduce", lambda x: x.resize_(3))
    assert "`x` of rank 0 has shape (3,)" in report.results[0].fault.message


def test_what_is_wrong_in_plain_vectors_is_not_blamed_on_shape_or_dtype():
    (ring,) = solution_answers("ring-all-reduce").values()

    def mean(x):
        ring(x)
        x.copy_(x / dist.get_world_size())

    def not_of_matrices(x):
        ring(x)
        if x.dim() > 1:
            x.zero_()

    found = {one.property.name: one.fault for one in hand_in("ring-all-reduce", mean).results}
    assert isinstance(found["in-place"], Undecided)
    assert "plain vectors" in found["in-place"].message
    report = hand_in("ring-all-reduce", not_of_matrices)
    found = {one.property.name: one.fault for one in report.results}
    assert found["sum"] is None
    assert found["in-place"] is not None and not isinstance(found["in-place"], Undecided)
