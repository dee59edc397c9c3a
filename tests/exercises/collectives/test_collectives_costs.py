"""Judges, schedules and pictures of what all-reduces cost."""

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.collectives import cost_pictures
from gpuedu.exercises.collectives.all_reduce_schedules import rounds_of, walk
from gpuedu.exercises.collectives.alpha_beta import judge as alpha_beta
from gpuedu.exercises.collectives.alpha_beta.judge.link_times import (
    SIZES,
    apart_times,
    exact_times_s,
    scattered_times,
    uneven_times_s,
)
from gpuedu.exercises.collectives.alpha_beta.play import play_alpha_beta
from gpuedu.exercises.collectives.tree_or_ring import judge as tree_or_ring
from gpuedu.exercises.collectives.tree_or_ring.play import play_tree_or_ring
from gpuedu.exercises.registry import load_play
from gpuedu.figures.style import alt_text
from gpuedu.multi import network
from gpuedu.multi.network import Link, ring_all_reduce_s
from tests.figures.legibility import overlapping_texts, texts_outside


def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return ring_all_reduce_s(ranks, size_bytes, Link("given", alpha_s, bytes_per_s))


def fit_ring(ranks, sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1, w=1 / np.array(times_s))
    return intercept / (2 * (ranks - 1)), 2 * (ranks - 1) / ranks / slope


def bandwidths(ranks, size_bytes, time_s):
    return (
        network.algorithm_bandwidth(size_bytes, time_s),
        network.bus_bandwidth(ranks, size_bytes, time_s),
    )


def tree_schedule(ranks, size_bytes):
    rounds = network.tree_all_reduce(ranks, size_bytes)
    return [[tuple(map(int, row)) for row in table] for table in rounds]


def crossover(ranks, alpha_s, bytes_per_s):
    return network.crossover_bytes(ranks, Link("given", alpha_s, bytes_per_s))


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "tree"


def faults(judge, play, answers, seed=0, prop=None):
    """Faults over all cases, or over those that decide ``prop``."""
    found = []
    for case in judge.cases(np.random.default_rng(seed)):
        if prop is None or case.decides == (prop,):
            found += list(judge.verdict(case, play(answers, case.inputs)))
    return found


def test_the_course_s_own_model_is_a_right_answer():
    answers = ring_s, fit_ring, bandwidths
    assert not faults(alpha_beta.JUDGE, play_alpha_beta, answers)
    answers = tree_schedule, crossover, choose
    assert not faults(tree_or_ring.JUDGE, play_tree_or_ring, answers)


def predictions_of(sizes, times, weights):
    """What a line by these weights says for twice each size, but the last."""
    slope, intercept = np.polyfit(sizes, times, 1, w=weights)
    return intercept + 2 * slope * np.array(sizes[:-1])


@pytest.mark.parametrize("draw", [lambda *of: (SIZES, uneven_times_s(*of)), apart_times])
def test_fits_of_uneven_times_are_told_apart_with_room(draw):
    """The solution is within what is allowed for any draw, and so are shares of fitted times."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        link, ranks = alpha_beta._link(rng), int(rng.choice([2, 3, 8]))
        sizes, times = draw(rng, ranks, link)
        sizes, times = np.array(sizes, float), np.array(times)
        best = predictions_of(sizes, times, 1 / times)
        alpha_s, rate = fit_ring(ranks, sizes, times)
        said = [ring_s(ranks, 2 * size, alpha_s, rate) for size in sizes[:-1].tolist()]
        assert np.allclose(said, best, rtol=1e-6)
        fitted = np.array([ring_s(ranks, size, alpha_s, rate) for size in sizes.tolist()])
        close = predictions_of(sizes, times, 1 / fitted)
        assert np.abs(close / best - 1).max() < 0.9 * alpha_beta._CLOSE
        ends = np.polyval(np.polyfit(sizes[[0, -1]], times[[0, -1]], 1), 2 * sizes[:-1])
        assert np.abs(ends / best - 1).max() > 2 * alpha_beta._CLOSE


def test_scattered_times_tell_which_shares_were_squared():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        link, ranks = alpha_beta._link(rng), int(rng.choice([2, 3, 8]))
        sizes, times = map(np.array, scattered_times(rng, ranks, link))
        best = predictions_of(sizes, times, 1 / times)
        assert best.min() > 0
        alpha_s, rate = fit_ring(ranks, sizes, times)
        assert alpha_s < 0, "the least sum of squares is at an alpha below 0"
        kept = np.array([ring_s(ranks, 2 * size, 0, rate) for size in sizes[:-1].tolist()])
        assert np.abs(kept / best - 1).max() > 5 * alpha_beta._CLOSE
        weights = 1 / times
        for _ in range(20):
            weights = 1 / np.polyval(np.polyfit(sizes, times, 1, w=weights), sizes)
        fitted = predictions_of(sizes, times, weights)
        assert np.abs(fitted / best - 1).max() > 5 * alpha_beta._CLOSE


def test_uneven_times_are_off_by_3_to_6_per_cent():
    link = Link("made up", 1e-5, 1e9)
    times = uneven_times_s(np.random.default_rng(3), 4, link)
    off = np.abs(np.array(times) / np.array(exact_times_s(4, link)) - 1)
    assert off.min() >= 0.03 - 1e-12 and off.max() <= 0.06 + 1e-12


def test_two_weights_too_many_lose_the_prediction_alone():
    def weights_squared(ranks, sizes_bytes, times_s):
        slope, intercept = np.polyfit(sizes_bytes, times_s, 1, w=1 / times_s**2)
        return intercept / (2 * (ranks - 1)), 2 * (ranks - 1) / ranks / slope

    answers = ring_s, weights_squared, bandwidths
    for seed in range(5):
        found = faults(alpha_beta.JUDGE, play_alpha_beta, answers, seed)
        assert {fault.property for fault in found} == {"predicts"}


def test_who_chooses_by_a_wrong_crossover_is_told_so():
    def twice(*given):
        return 2 * crossover(*given) + 1

    def by_twice(ranks, size_bytes, *link):
        return "ring" if size_bytes >= twice(ranks, *link) else "tree"

    answers = tree_schedule, twice, by_twice
    for seed in range(3):
        (first, *_) = faults(tree_or_ring.JUDGE, play_tree_or_ring, answers, seed, prop="choice")
        assert "by your `crossover`, which is wrong here" in first.message


def test_a_choice_by_a_size_of_one_s_own_stands_although_crossover_fails():
    def broken(*_):
        raise ZeroDivisionError

    answers = tree_schedule, broken, choose
    assert not faults(tree_or_ring.JUDGE, play_tree_or_ring, answers, prop="choice")


def test_a_wrong_crossover_is_told_in_one_format():
    def rate_below(ranks, alpha_s, bytes_per_s):
        return crossover(ranks, alpha_s, bytes_per_s) / bytes_per_s**2

    answers = tree_schedule, rate_below, choose
    (first, *_) = faults(tree_or_ring.JUDGE, play_tree_or_ring, answers, prop="crossover")
    assert first.message.count("e+0") + first.message.count("e-") >= 2


def test_a_walk_follows_sums_and_copies():
    for ranks in (1, 2, 3, 6, 8, 13):
        assert walk(tree_schedule(ranks, 8), ranks, 8) == walk([], 1, 8)
    pair = [[(0, 1, 8), (1, 0, 8)]]
    assert not walk(pair, 2, 8).missing, "both send what they had before the round"
    assert walk([[(1, 0, 8)]], 3, 8).missing == ((0, 2), (1, 0), (2, 0))


@pytest.mark.parametrize(
    ("rounds", "told"),
    [
        ([[(1, 0, 8)], [(1, 0, 8)]], "a second time"),
        ([[(1, 0, 8)], [(2, 0, 8)], [(1, 0, 8)]], "rank 1 a second time, after the whole sum"),
        ([[(1, 0, 4)]], "does not carry the tensor's 8 bytes"),
        ([[(3, 0, 8)]], "no message between 3 ranks"),
        ([[(1, 1, 8)]], "no message between 3 ranks"),
        ([[(-1, 0, 8)]], "no message between 3 ranks"),
    ],
)
def test_a_walk_says_what_is_wrong_with_a_message(rounds, told):
    assert told in walk(rounds, 3, 8).fault


@pytest.mark.parametrize(
    "value",
    [None, 3, [3], [[3]], [[(0, 1)]], [[(0, 1, 2.5)]], [[(0, 1, True)]], "abc", [[("a", 1, 2)]]],
)
def test_what_is_no_schedule_is_refused(value):
    with pytest.raises(AnswerError):
        rounds_of(value)


def test_an_endless_schedule_is_refused():
    with pytest.raises(AnswerError, match="more than"):
        rounds_of([[(0, 1, 8)] * 300_000])


def test_a_star_is_told_by_its_port():
    def star(ranks, size_bytes):
        up = [(rank, 0, size_bytes) for rank in range(1, ranks)]
        return [up, [(0, rank, size_bytes) for rank in range(1, ranks)]]

    answers = star, crossover, choose
    assert not faults(tree_or_ring.JUDGE, play_tree_or_ring, answers, prop="sum")
    (first, *_) = faults(tree_or_ring.JUDGE, play_tree_or_ring, answers, prop="rounds")
    assert "rank 0 receives 3 messages" in first.message


def test_near_ties_may_be_chosen_either_way():
    def other_at_the_tie(ranks, size_bytes, alpha_s, bytes_per_s):
        at = crossover(ranks, alpha_s, bytes_per_s)
        return "ring" if size_bytes >= 1.005 * at else "tree"

    answers = tree_schedule, crossover, other_at_the_tie
    assert not faults(tree_or_ring.JUDGE, play_tree_or_ring, answers)


def test_a_choice_that_is_no_way_is_refused():
    inputs = {"ask": "choice", "ranks": 8, "sizes_bytes": [8], "alpha_s": 1e-6, "bytes_per_s": 1e9}
    with pytest.raises(AnswerError, match="tree"):
        play_tree_or_ring((tree_schedule, crossover, lambda *_: "star"), inputs)


def test_answers_are_named_as_the_lesson_names_them():
    names = [answer.name for answer in load_play("tree-or-ring").answers]
    assert names == ["tree_schedule", "crossover", "choose"]


def test_pictures_can_be_read_also_of_wrong_answers(monkeypatch):
    monkeypatch.setattr(cost_pictures, "RANKS", (2, 4, 8, 64))
    cost_pictures.ring_times_s.cache_clear()
    own = {
        "what": "all-reduces of 2 processes of this machine, by gloo; no GPU takes part",
        "alpha_us": 60.0,
        "gb_per_s": 1.2,
        "off_percent": 8.1,
        "sizes_bytes": [4096, 16384, 65536, 262144],
        "times_s": [1e-4, 1.1e-4, 1.4e-4, 3e-4],
        "predicted_s": [1e-4, 1.2e-4, 1.5e-4, 2.8e-4],
    }
    drawn = [
        cost_pictures.draw_all_sizes(),
        cost_pictures.draw_bandwidths(ring_s, bandwidths),
        cost_pictures.draw_bandwidths(lambda *_: None, lambda *_: 3),
        cost_pictures.draw_tree_or_ring(tree_schedule, choose),
        cost_pictures.draw_tree_or_ring(lambda *_: 7, lambda *_: "star"),
        cost_pictures.draw_own_times(own),
    ]
    cost_pictures.ring_times_s.cache_clear()
    for ax in drawn:
        assert not overlapping_texts(ax) and not texts_outside(ax)
        assert len(alt_text(ax)) > 40
    assert cost_pictures.draw_own_times({"what": "no processes"}) == "no processes"
