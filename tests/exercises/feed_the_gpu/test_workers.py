"""workers: rates against the simulation, seeds and their bound, refusals, and a picture."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.workers import judge as workers
from gpuedu.exercises.feed_the_gpu.workers.picture import draw_worker_flips
from gpuedu.exercises.feed_the_gpu.workers.stages import SHOWN
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers

RIGHT = solution_answers("workers")


def test_the_prediction_is_what_the_simulation_gives():
    assert workers.JUDGE.predictions["workers"].truth == workers.simulated_knee(SHOWN[0])


@pytest.mark.parametrize("limit", ["device", "disk", "cores"])
def test_the_slowest_stage_is_what_the_simulation_finds(limit):
    stages = workers._stages(np.random.default_rng(5), limit)
    for crew in (1, 2, 5, 12):
        expected = RIGHT["batches_per_s"](crew, *stages)
        assert workers.simulated_rate(stages, crew) == pytest.approx(expected, rel=0.01)
    assert RIGHT["knee"](*stages) == workers.simulated_knee(stages)


def test_a_worker_fewer_can_be_almost_as_good():
    for seed in range(20):
        stages = workers._stages(np.random.default_rng(seed), "device", is_close=True)
        knee = RIGHT["knee"](*stages)
        assert workers.simulated_knee(stages) == knee
        almost = workers.simulated_rate(stages, knee - 1) / workers.simulated_rate(stages, knee)
        assert 0.95 < almost < 0.99


def test_of_a_whole_number_of_workers_it_is_told_what_they_reach():
    more = hand_in("workers", knee=lambda *stages: RIGHT["knee"](*stages) + 1)
    half = hand_in("workers", knee=lambda *stages: 2.5)
    assert lost(more) == lost(half) == {"knee"}
    assert "batches a second, with many" in fault(more, "knee").message
    assert "gave 2.5, expected" in fault(half, "knee").message
    assert "reaches" not in fault(half, "knee").message


def test_what_is_no_generator_is_refused():
    report = hand_in("workers", worker_rng=lambda seed, epoch, worker: 7)
    assert lost(report) == {"distinct", "repeats"}
    assert "should return a NumPy generator" in fault(report, "repeats").message
    with pytest.raises(AnswerError, match="NumPy generator"):
        draw_worker_flips(lambda *_: 3)


def test_flips_of_copies_are_alike_and_the_learners_are_not():
    ax = draw_worker_flips(RIGHT["worker_rng"])
    cells = np.array([patch.get_facecolor()[2] for patch in ax.patches]).reshape(12, 24)
    assert (cells[:6] == cells[0]).all()
    assert len({tuple(row) for row in cells[6:]}) == 6


def _draws(*numbers):
    return tuple(np.random.default_rng(list(numbers)).integers(2**63, size=4).tolist())


def test_a_list_as_a_seed_keeps_numbers_apart_below_the_bound_of_the_text_and_not_above():
    edges = (0, 1, 5, 2**16, 2**31, 2**32 - 1)
    triples = list(itertools.product(edges, repeat=3))
    assert len({_draws(*triple) for triple in triples}) == len(triples)
    assert _draws(2**32, 5, 0) == _draws(0, 1, 5)
    largest = [case for case in workers.cases(np.random.default_rng(0)) if "2**32" in case.label]
    assert max(map(max, largest[0].inputs["triples"])) == 2**32 - 1


def test_a_spawn_key_has_the_same_bound():
    def draws(seed, *key):
        sequence = np.random.SeedSequence(seed, spawn_key=key)
        return np.random.default_rng(sequence).integers(2**63, size=4).tolist()

    assert draws(3, 2**32, 5) == draws(3, 0, 1 + 5 * 2**32)
