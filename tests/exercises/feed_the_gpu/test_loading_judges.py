"""Verdicts on loading: references, what a card says of a slip, and truths against simulations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuedu.exercises.card import report_card
from gpuedu.exercises.feed_the_gpu.feeding import feed_in_turn
from gpuedu.exercises.feed_the_gpu.workers import judge as workers
from gpuedu.exercises.feed_the_gpu.workers.stages import SHOWN
from gpuedu.exercises.registry import load
from tests.exercises.feed_the_gpu import loading_answers as right
from tests.exercises.feed_the_gpu.loading_answers import REFERENCE, fault, hand_in, lost


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points(exercise):
    for seed in range(5):
        report = hand_in(exercise, seed)
        assert report.state == "solved", (seed, str(report_card(report)))


@pytest.mark.parametrize("exercise", REFERENCE)
def test_every_property_is_decided_and_seeds_draw_other_cases(exercise):
    judge = load(exercise).judge
    first, second = (judge.cases(np.random.default_rng(seed)) for seed in (1, 2))
    assert {name for case in first for name in case.decides} == {p.name for p in judge.properties}
    assert [dict(case.inputs) for case in first] != [dict(case.inputs) for case in second]


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in REFERENCE}
    assert points == {
        "prefetch": 8,
        "workers": 6,
    }


def test_predictions_have_the_truth_of_the_simulations():
    assert load("workers").judge.predictions["workers"].truth == workers.simulated_knee(SHOWN[0])


def test_in_turn_nothing_overlaps():
    run = feed_in_turn([2.0, 1.0], [3.0, 3.0])
    assert run.done_s == (5.0, 9.0)
    assert run.stall_share == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "prop", "answer", "said"),
    [
        ("batches_per_s", "rate", lambda *a: 1 / right.batches_per_s(*a), "seconds a batch"),
        ("batches_per_s", "no-workers", lambda *a: a[5] / a[0], "ZeroDivisionError"),
        ("batches_per_s", "rate", lambda *a: _never_reads(*a), "before it decodes"),
        ("knee", "knee", lambda *a: right.knee(*a) + 1, "as fast already"),
        ("knee", "knee", lambda *a: _good_enough(*a), "many"),
        ("worker_rng", "distinct", lambda s, e, w: _packed(s, e, w, 100), "takes a list"),
        ("worker_rng", "distinct", lambda s, e, w: _packed(s, e, w, 1000), "takes a list"),
        ("knee", "knee", lambda *a: 2.5, "no whole number"),
        ("worker_rng", "distinct", lambda s, e, w: np.random.default_rng(s), "augment alike"),
        ("worker_rng", "distinct", lambda s, e, w: np.random.default_rng([e, w]), "the same run"),
        ("worker_rng", "repeats", lambda *_: np.random.default_rng(), "cannot be repeated"),
        ("worker_rng", "repeats", lambda *_: 7, "should return a NumPy generator"),
    ],
)
def test_slips_in_workers_are_told(name, prop, answer, said):
    report = hand_in("workers", **{name: answer})
    assert prop in lost(report)
    assert said in fault(report, prop)


def _never_reads(workers, read_s, decode_s, copy_s, step_s, cores):
    if workers == 0:
        return right.batches_per_s(0, read_s, decode_s, copy_s, step_s, cores)
    return 1 / max(decode_s / workers, read_s, decode_s / cores, copy_s + step_s)


def _good_enough(*stages):
    best = right.batches_per_s(99, *stages)
    return next(w for w in range(1, 99) if right.batches_per_s(w, *stages) > 0.95 * best)


def _packed(seed, epoch, worker, base):
    return np.random.default_rng(base**2 * seed + base * epoch + worker)


def test_a_worker_fewer_can_be_almost_as_good():
    for seed in range(20):
        stages = workers._stages(np.random.default_rng(seed), "device", is_close=True)
        knee = right.knee(*stages)
        assert workers.simulated_knee(stages) == knee
        almost = workers.simulated_rate(stages, knee - 1) / workers.simulated_rate(stages, knee)
        assert 0.95 < almost < 0.99


def test_the_slowest_stage_is_what_the_simulation_finds():
    rng = np.random.default_rng(5)
    for limit in ("device", "disk", "cores"):
        stages = workers._stages(rng, limit)
        for crew in (1, 2, 5, 12):
            expected = 1 / max(workers.pace_s(crew, stages).values())
            assert workers.simulated_rate(stages, crew) == pytest.approx(expected, rel=0.01)
        assert right.knee(*stages) == workers.simulated_knee(stages)


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
