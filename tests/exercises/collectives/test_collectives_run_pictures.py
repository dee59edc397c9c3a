"""Pictures of runs on light ranks: fit to print, and true, of right answers and of wrong ones."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import DeadlockError
from gpuedu.exercises.collectives import exchanging_pictures, growth_pictures
from gpuedu.figures.style import alt_text, to_png
from gpuedu.multi import network
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("collectives")


def right(exercise):
    (answer,) = solution_answers(exercise).values()
    return answer


def wrong(exercise, name):
    (answer,) = stored_answers(exercise, "wrong", name).values()
    return answer


def chain():
    x, rank = torch.ones(1000), dist.get_rank()
    if rank > 0:
        dist.recv(x, rank - 1)
    if rank < dist.get_world_size() - 1:
        dist.send(x, rank + 1)


def swap():
    dist.send(torch.ones(3), 1 - dist.get_rank())


DRAWN = {
    "collectives/question": (),
    "collectives/run": (chain,),
    "broadcast-tree": (right("broadcast-tree"),),
    "collectives/broadcasts": (right("broadcast-tree"), right("broadcast-tree")),
    "reduce-scatter": (right("reduce-scatter"),),
    "all-gather": (right("all-gather"),),
    "ring-all-reduce": (right("ring-all-reduce"),),
    "collectives/bytes": (right("ring-all-reduce"),),
    "collectives/all-reduces": (right("ring-all-reduce"),),
}
TEXTS = {"collectives/stuck", "collectives/whose"}


def test_every_picture_is_tried_here():
    assert set(DRAWN) | TEXTS <= set(PICTURES)


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name):
    ax = PICTURES[name](*DRAWN[name])
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(ax)) > 10_000


def test_a_function_that_does_nothing_is_drawn():
    def f(x):
        pass

    for name in ("reduce-scatter", "collectives/bytes"):
        assert "othing" in alt_text(PICTURES[name](f))
    assert "f: 0 with 2" in alt_text(PICTURES["collectives/all-reduces"](f))


def test_a_deadlock_is_told_by_name_and_line():
    told = exchanging_pictures.tell_stuck(swap)
    assert "rank 0 waits for a send of (3,) float32 to rank 1 (line" in told
    assert "dist.send(torch.ones(3)" in told
    with pytest.raises(DeadlockError, match="no rank can go on"):
        exchanging_pictures.draw_collective(wrong("reduce-scatter", "sends_first"))


def test_what_is_not_stuck_tells_its_results():
    told = exchanging_pictures.tell_stuck(lambda: 7 + dist.get_rank())
    assert "rank 0: 7" in told and "rank 1: 8" in told


def test_whose_numbers_a_chunk_holds():
    told = exchanging_pictures.tell_whose(right("reduce-scatter"))
    assert told.count("[0 1 2 3]") == 4
    early = exchanging_pictures.tell_whose(wrong("reduce-scatter", "one_step_less"))
    assert "[0 1 2 3]" not in early


def test_the_question_is_answered_by_the_closed_forms():
    times = growth_pictures.question_s()
    link = network.link("nvlink4")
    for ranks, through, ring in zip(growth_pictures.QUESTION_RANKS, *times.values(), strict=True):
        assert ring == pytest.approx(network.ring_all_reduce_s(ranks, 1e9, link), rel=1e-6)
        bytes_s = 2 * (ranks - 1) * 1e9 / link.bytes_per_s
        assert through == pytest.approx(bytes_s, rel=0.01)


def test_scaled_runs_take_as_long_as_whole_ones():
    answer = right("ring-all-reduce")
    (first, *_) = growth_pictures.own_times_s(answer, 4 * 2**20)
    whole = exchanging_pictures.on_nvlink(answer, exchanging_pictures.tensors_for(2)).run.time_s
    assert first == pytest.approx(whole)


def test_a_swap_as_it_has_to_be_on_gpus_ends_on_light_ranks_too():
    def swap_in_a_group():
        other = 1 - dist.get_rank()
        mine, theirs = torch.full((3,), float(dist.get_rank())), torch.empty(3)
        both = [dist.P2POp(dist.isend, mine, other), dist.P2POp(dist.irecv, theirs, other)]
        for one in dist.batch_isend_irecv(both):
            one.wait()
        return theirs.tolist()

    assert "rank 0: [1.0, 1.0, 1.0]" in exchanging_pictures.tell_stuck(swap_in_a_group)
