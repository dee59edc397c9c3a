"""What ranks asked for, asked again of another world: the same run, and never more than that."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.grading.wire import pack, unpack
from gpuedu.multi.exchanges import CommunicationError, RankError
from gpuedu.multi.light import run_light, work_for
from gpuedu.multi.light.acts import Acts
from gpuedu.multi.light.performing import MOST_ACTS, perform
from gpuedu.multi.light.world import here


def by_hand():
    rank, ranks = dist.get_rank(), dist.get_world_size()
    got = torch.empty(3, rank + 2)
    sends = [
        dist.isend(torch.zeros(3, to + 2, dtype=torch.float32), to, tag=to) for to in [0] if rank
    ]
    for source in range(1, ranks):
        if rank == 0:
            dist.recv(got, source if source % 2 else None, tag=0)
    for one in sends:
        while not one.is_completed():
            work_for(1e-6, "meanwhile")
        one.wait()


def collectives():
    rank, ranks = dist.get_rank(), dist.get_world_size()
    halves = [dist.new_group(range(0, ranks // 2)), dist.new_group(range(ranks // 2, ranks))]
    x = torch.arange(4.0) + rank
    handle = dist.all_reduce(x, op=dist.ReduceOp.AVG, async_op=True)
    work_for(1e-5 * rank)
    handle.wait()
    dist.broadcast(x, ranks // 2 * (rank >= ranks // 2), group=halves[rank >= ranks // 2])
    whole = torch.empty(4 * ranks)
    dist.all_gather_into_tensor(whole, x)
    things = [None] * ranks
    dist.all_gather_object(things, {"rank": "r" * rank})
    dist.barrier()


def uneven():
    """Rank i has i + j rows for rank j, of four numbers; and nothing for itself."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    gives = [(rank + to) * (to != rank) for to in range(ranks)]
    got, x = torch.empty(sum(gives), 4), torch.zeros(sum(gives), 4)
    dist.all_to_all_single(got, x, gives, gives)
    if rank < 2:
        group = dist.new_group([0, 1])
        dist.all_to_all_single(x[:1], x[:1], [1 - rank, rank], [1 - rank, rank], group=group)
    else:
        dist.new_group([0, 1])


def noted(program, ranks):
    """A run of a program, and what each rank's acts are where they arrive."""
    told = {}

    def body():
        world, rank = here()
        program()
        told[rank] = unpack(pack(world.acts[rank].told()))

    return run_light(body, ranks), told


def again(told, ranks):
    def body():
        world, rank = here()
        perform(world, rank, told[rank])

    return run_light(body, ranks)


def others():
    """Collectives of every other kind, on 4 ranks."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    group = [dist.new_group([3, 1]), dist.new_group([0, 2])][rank % 2 == 0]
    x, parts = torch.ones(4, 3), [torch.ones(4, 3) for _ in range(ranks)]
    dist.gather(x, parts if rank == 2 else None, dst=2)
    dist.scatter(x, parts if rank == 1 else None, src=1)
    dist.reduce(x.t(), 1 if rank % 2 else 2, group=group)
    dist.reduce_scatter(torch.empty(4, 3), parts)
    dist.reduce_scatter_tensor(torch.empty(3), torch.ones(12))
    dist.all_gather(parts, x)
    dist.all_to_all_single(torch.empty(4, 3), x)
    dist.broadcast(torch.tensor(3), 3 if rank % 2 else 0, group=group)
    dist.broadcast_object_list([{}] * 2, src=1)
    dist.barrier(group=group)
    dist.all_reduce(torch.ones(0))
    dist.all_to_all_single(torch.empty(0, 3), x[:0], [0] * ranks, [0] * ranks)


def test_every_collective_is_the_same_again():
    run, told = noted(others, 4)
    assert again(told, 4).exchanges == run.exchanges


@pytest.mark.parametrize("program", [by_hand, collectives, uneven])
@pytest.mark.parametrize("ranks", [2, 4, 7])
def test_the_same_acts_give_the_same_run(program, ranks):
    run, told = noted(program, ranks)
    performed = again(told, ranks)
    assert performed.exchanges == run.exchanges
    assert performed.time_s == run.time_s
    assert performed.timeline.intervals == run.timeline.intervals
    assert any(one.line and one.text for one in performed.exchanges)


def test_acts_that_do_not_meet_are_a_deadlock():
    _, told = noted(by_hand, 3)
    texts, table = told[1]
    with pytest.raises(DeadlockError, match="rank 0 waits for a recv"):
        again({**told, 1: [texts, table[:0]]}, 3)


def rows(*some):
    return np.array([[*row, *[0] * (8 - len(row))] for row in some], np.int64).reshape(-1, 8)


POST, COME, WAIT, LOOK, GROUP, WORK = range(6)
TEXTS = ["float32 2,3", "all_reduce\nSUM", "nan", "float32 -1", "0,1", "9" * 12, "x y", "0"]
PARTS = [
    "all_to_all 8,8,8 8,8\nrows",
    "all_to_all 8,8\nrows",
    "all_reduce 8,8 8,8\nSUM",
    "all_to_all 8,-8 8,8\nrows",
    "all_to_all " + "9" * 12 + "," + "9" * 12 + " 8,8\nrows",
]
BROKEN = {
    "no list": None,
    "no table": [TEXTS, [[0] * 8]],
    "floats": [TEXTS, rows([WAIT, 0]).astype(float)],
    "a narrow table": [TEXTS, rows([WAIT, 0])[:, :7]],
    "texts that are none": [[1], rows()],
    "long texts": [["a" * 10_000], rows()],
    "an act that is none": [TEXTS, rows([6])],
    "nothing that was begun": [TEXTS, rows([WAIT, 0])],
    "counted from the end": [TEXTS, rows([LOOK, -1])],
    "a message to nobody": [TEXTS, rows([POST, 0, 7, 0, 0, -1])],
    "a message to itself": [TEXTS, rows([POST, 0, 0, 0, 0, -1])],
    "no way": [TEXTS, rows([POST, 2, 1, 0, 0, -1])],
    "a shape that is none": [TEXTS, rows([POST, 0, 1, 0, 3, -1])],
    "a tensor that is too large": [
        ["float64 " + "9" * 12 + "," + "9" * 12],
        rows([POST, 0, 1, 0, 0, -1]),
    ],
    "a type that is none": [["load 2"], rows([POST, 0, 1, 0, 0, -1])],
    "a text that is not there": [TEXTS, rows([POST, 0, 1, 0, 99, -1])],
    "a collective that is none": [TEXTS, rows([COME, 0, -1, -1, 8, 0, -1])],
    "no root": [TEXTS, rows([COME, 1, -1, -1, 8, 5, -1])],
    "less than no bytes": [TEXTS, rows([COME, 1, -1, -1, -8, 0, -1])],
    "a group that nobody made": [TEXTS, rows([COME, 1, 4, -1, 8, 0, -1])],
    "ranks that are not there": [TEXTS, rows([GROUP, 5])],
    "no time": [TEXTS, rows([WORK, 2, 0])],
    "time that is no number": [TEXTS, rows([WORK, 6, 0])],
    **{one[:20]: [[one], rows([COME, 0, -1, -1, 8, 0, -1])] for one in PARTS},
    "too many": [TEXTS, rows(*[[WORK, 7, 0]] * (MOST_ACTS + 1))],
    "too many collectives": [TEXTS, rows(*[[COME, 1, -1, -1, 8, 0, -1]] * 30_000)],
    "too many messages": [TEXTS, rows(*[[POST, 0, 1, 0, 0, -1]] * 5_000)],
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_list_of_acts_is_refused(name):
    with pytest.raises(AnswerError) as refused:
        again({0: BROKEN[name], 1: [[], rows()]}, 2)
    assert isinstance(refused.value, (RankError, AnswerError))
    assert not isinstance(refused.value, DeadlockError)
    fault = getattr(refused.value, "fault", refused.value)
    assert isinstance(fault, AnswerError)


def test_parts_that_do_not_fit_are_refused_however_they_are_told():
    """Also where one rank says that they are even; both would call it the same."""
    first = "all_to_all 8,8 8,8", 2
    for other in (("all_to_all 8,8 8,9", 2), ("all_to_all", 2), ("all_to_all 0,0 0,0", 0)):
        told = {
            rank: [
                [f"{text}\n(2,) float64", f"float64 {count}"],
                rows([COME, 0, -1, 1, 8 * count, 0, -1], [WAIT, 0]),
            ]
            for rank, (text, count) in enumerate((first, other))
        }
        with pytest.raises(CommunicationError, match="which expects"):
            again(told, 2)


SIZES = {
    "less than its tensor": ["all_reduce\n(2,) float64\nSUM", 0, 8],
    "more than its tensor": ["all_reduce\n(2,) float64\nSUM", 0, 32],
    "another tensor than it says": ["all_reduce\n(4,) float64\nSUM", 0, 32],
    "no tensor that there could be": ["all_reduce\n( 2) float64\nSUM", 0, 16],
    "nothing handed over": ["all_reduce\n(2,) float64\nSUM", -1, 16],
    "nothing handed over by the root": ["broadcast\n(2,) float64\nsrc=0", -1, 16],
    "no share of the others": ["all_gather\n(2,) float64", 0, 16],
    "less than its parts": ["all_to_all 16,0 16,0\nrows", 0, 8],
    "parts of nothing": ["all_to_all 0,0 0,0\nrows", 0, 0],
    "bytes at a barrier": ["barrier", -1, 16],
    "a tensor at a barrier": ["barrier", 0, 0],
}


@pytest.mark.parametrize("name", SIZES)
def test_a_collective_is_as_large_as_the_tensors_that_it_is_of(name):
    text, given, size = SIZES[name]
    told = [
        [text, "float64 2"],
        rows([COME, 0, -1, 1 if given == 0 else -1, size, 0, -1], [WAIT, 0]),
    ]
    with pytest.raises(AnswerError, match="a form that it does not have"):
        again({0: told, 1: told}, 2)


def test_tensors_of_acts_take_no_memory():
    acts = Acts()
    acts.post("send", 1, torch.empty(1, device="meta").expand(2**30, 64), 0, None)
    acts.wait(0)
    taken = Acts()
    taken.post("recv", 0, torch.empty(2**36, device="meta"), 0, None)
    run = again({0: acts.told(), 1: taken.told()}, 2)
    assert {one.size_bytes for one in run.exchanges} == {2**38}
