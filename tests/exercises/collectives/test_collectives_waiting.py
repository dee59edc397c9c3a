"""Programs that wait, halos, and ranks in nodes: judges, plays and pictures."""

import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.collectives.hierarchical import node_pictures
from gpuedu.exercises.collectives.hierarchical.judge.at_best import best_s, least_card_bytes
from gpuedu.exercises.collectives.hierarchical.node_clusters import CARD, cluster_of
from gpuedu.exercises.collectives.who_waits import judge as who_waits
from gpuedu.exercises.collectives.who_waits.play import OUTCOMES, play_who_waits
from gpuedu.exercises.collectives.who_waits.wait_pictures import (
    draw_halos,
    draw_waits,
    tell_programs,
    waits_of,
)
from gpuedu.exercises.ranks import run_ranks
from gpuedu.figures.caption import Caption
from gpuedu.figures.waits import in_a_circle, plot_waits
from gpuedu.multi import network
from gpuedu.multi.exchanges import CommunicationError
from tests.exercises.stored import solution_answers
from tests.figures.legibility import overlapping_texts, texts_outside


def around():
    rank = dist.get_rank()
    dist.send(torch.ones(9), (rank + 1) % 4)
    dist.recv(torch.zeros(9), (rank - 1) % 4)


def along():
    rank = dist.get_rank()
    if rank < 3:
        dist.send(torch.ones(9), rank + 1)
    if rank > 0:
        dist.recv(torch.zeros(9), rank - 1)


def report():
    if dist.get_rank() == 0:
        dist.all_reduce(torch.ones(1))


def clip():
    sizes = (1, 9) if dist.get_rank() == 0 else (9, 1)
    for size in sizes:
        dist.all_reduce(torch.ones(size))


def two_sums():
    loss, hits = torch.tensor([2.0]), torch.tensor([30.0])
    for one in (loss, hits) if dist.get_rank() == 0 else (hits, loss):
        dist.all_reduce(one)
    return loss.item(), hits.item()


def relay():
    rank, x, got = dist.get_rank(), torch.ones(9), torch.zeros(9)
    if rank == 0:
        dist.recv(got, 1)
    elif rank == 1:
        dist.recv(got, 3)
        dist.send(x, 0)
        dist.recv(got, 2)
    elif rank == 2:
        dist.send(x, 1)
        dist.send(x, 3)
    else:
        dist.recv(got, 2)
        dist.send(x, 1)


PROGRAMS = {one.__name__: one for one in (around, along, report, clip, two_sums, relay)}


def what_happens(program):
    try:
        run = run_ranks(lambda rank: program(), 4, [program])
    except DeadlockError:
        return "deadlock"
    except CommunicationError:
        return "disagree"
    return "ends" if run.results[0] in (None, (8.0, 120.0)) else "wrong numbers"


def test_what_the_judge_says_of_the_programs_is_what_they_do():
    assert {name: what_happens(program) for name, program in PROGRAMS.items()} == who_waits.TRUTH


def test_whom_ranks_wait_for_is_what_a_deadlock_tells():
    with pytest.raises(DeadlockError) as fault:
        run_ranks(lambda rank: relay(), 4, [relay])
    waits, notes = waits_of(fault.value)
    assert waits == {rank: [other] for rank, other in enumerate(who_waits.WAITS_FOR)}
    assert notes[2] == "dist.send(x, 1)"
    assert in_a_circle(waits) == {1, 2, 3}


def test_who_waits_in_a_collective_waits_for_those_who_are_not_there():
    with pytest.raises(DeadlockError) as fault:
        run_ranks(lambda rank: report(), 4, [report])
    assert waits_of(fault.value)[0] == {0: [1, 2, 3]}


def test_programs_are_told_with_what_the_learner_said():
    said = tell_programs({"around": "ends"}, *PROGRAMS.values())
    assert 'around (you: "ends"): no rank can go on' in said
    assert "two_sums: ends" in said and "clip: collective 1" in said


def test_the_prediction_has_the_words_of_the_answer():
    prediction = who_waits.JUDGE.predictions["who-waits"]
    assert set(prediction.choices) == set(OUTCOMES) >= set(who_waits.TRUTH.values())


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ({}, "not filled in"),
        ({"around": ...}, "not filled in"),
        ({"around": "stops"}, "stops"),
        ({"around": 3}, "short text"),
    ],
)
def test_an_outcome_that_is_none_is_refused(outcomes, told):
    with pytest.raises(AnswerError, match=told):
        play_who_waits((outcomes, {}, None), {"ask": "outcomes"})


@pytest.mark.parametrize("waits_for", [{}, {0: 1}, {0: 4, 1: 0, 2: 0, 3: 0}, {0: True}, {0: "1"}])
def test_ranks_that_are_none_are_refused(waits_for):
    with pytest.raises(AnswerError, match="waits_for"):
        play_who_waits(({}, waits_for, None), {"ask": "waits", "ranks": 4})


def test_free_nodes_count_the_bytes_of_a_card():
    size = 8 * 960
    schedule = network.hierarchical_all_reduce(3, 4, size)
    traffic = network.simulate(schedule, cluster_of("cards", 12, 4))
    assert traffic.time_s * CARD.bytes_per_s == pytest.approx(least_card_bytes(12, 4, size))
    real = network.simulate(network.hierarchical_all_reduce(3, 4, size), cluster_of("real", 12, 4))
    assert real.time_s == pytest.approx(best_s(12, 4, size))


def test_groups_that_only_their_members_make_are_told():
    def own_only():
        first = dist.get_rank() // 2 * 2
        dist.new_group([first, first + 1])

    with pytest.raises(
        CommunicationError, match=r"call 1 of `new_group` is for the ranks \[2, 3\]"
    ):
        run_ranks(lambda rank: own_only(), 4, [own_only])


def test_pictures_can_be_read(monkeypatch):
    monkeypatch.setattr(node_pictures, "RANKS", (16, 32))
    monkeypatch.setattr(node_pictures, "OWN_RANKS", (16,))
    for one in (node_pictures.flat_times_s, node_pictures.node_times_s):
        one.cache_clear()
    (three_rings,) = solution_answers("hierarchical").values()
    *_, swap_halos = solution_answers("who-waits").values()
    drawn = [
        node_pictures.draw_hierarchical(three_rings),
        node_pictures.draw_nodes(three_rings),
        node_pictures.draw_nodes(lambda x: None),
        draw_halos(swap_halos),
        draw_waits({0: 1}, relay),
        draw_waits({0: 1}, report),
        draw_waits({0: 1}, along),
    ]
    for one in (node_pictures.flat_times_s, node_pictures.node_times_s):
        one.cache_clear()
    for ax in drawn:
        assert not overlapping_texts(ax) and not texts_outside(ax)
    assert "No rank can go on" in draw_halos(lambda piece, above, below: dist.recv(above))
    assert draw_waits({0: 1}, clip).startswith("clip: collective 1")


def test_ranks_in_a_circle_are_dark():
    ax = plot_waits({0: [1], 1: [2], 2: [1]}, ranks=4, caption=Caption("t", "a", "s"))
    dark = [patch for patch in ax.patches if sum(patch.get_facecolor()[:3]) < 1]
    assert len(dark) == 2
