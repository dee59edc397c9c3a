"""Sends and receives between light ranks: what arrives, when, and what is told where they go wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.errors import DeadlockError
from gpuedu.multi import network
from gpuedu.multi.exchanges import CommunicationError, RankError, link_bytes, sent_bytes
from gpuedu.multi.light import run_light, work_for
from gpuedu.multi.network import Cluster, Link

LINK = Link("made up", 10e-6, 1e9)


def me():
    return dist.get_rank(), dist.get_world_size()


def ring_all_reduce(size):
    rank, ranks = me()
    chunks = list((torch.arange(size, dtype=torch.float64) + rank).tensor_split(ranks))
    to, source = (rank + 1) % ranks, (rank - 1) % ranks
    for step in range(ranks - 1):
        got = torch.empty_like(chunks[(rank - step - 1) % ranks])
        sending = dist.isend(chunks[(rank - step) % ranks], to)
        dist.recv(got, source)
        sending.wait()
        chunks[(rank - step - 1) % ranks] += got
    for step in range(ranks - 1):
        sending = dist.isend(chunks[(rank + 1 - step) % ranks], to)
        dist.recv(chunks[(rank - step) % ranks], source)
        sending.wait()
    return torch.cat(chunks)


@pytest.mark.parametrize("size", [0, 1, 840, 1000])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_a_ring_adds_up_moves_its_bytes_and_takes_its_time(ranks, size):
    run = run_light(ring_all_reduce, ranks, size, cluster=Cluster(ranks, LINK))
    total = ranks * torch.arange(size, dtype=torch.float64) + sum(range(ranks))
    assert all(torch.equal(result, total) for result in run.results)
    schedule = list(network.ring_all_reduce(ranks, size))  # in elements
    traffic = network.simulate([t * [1, 1, 8] for t in schedule], Cluster(ranks, LINK))
    assert sent_bytes(run.exchanges, ranks) == traffic.sent_bytes.tolist()
    assert math.isclose(run.time_s, traffic.time_s, rel_tol=1e-4, abs_tol=1e-9)  # whole nanoseconds


def test_a_message_takes_latency_and_bytes_from_when_both_are_there():
    def late():
        rank, _ = me()
        if rank == 0:
            work_for(1e-3)
            dist.send(torch.ones(250), 1)
        else:
            assert dist.recv(torch.zeros(250)) == 0

    run = run_light(late, 2, cluster=Cluster(2, LINK))
    sent, received = sorted(run.exchanges, key=lambda one: one.rank)
    assert (sent.kind, sent.peer, sent.size_bytes) == ("send", 1, 1000)
    assert (received.kind, received.peer, received.posted_s) == ("recv", 0, 0.0)
    assert received.start_s == pytest.approx(1e-3) and run.time_s == pytest.approx(1.011e-3)
    assert "dist.send(torch.ones(250), 1)" in sent.text and sent.line < received.line
    assert link_bytes(run.exchanges) == {(0, 1): 1000}
    waits = run.timeline.on("rank 1", "wait")
    assert [one.end_s for one in waits] == [pytest.approx(1.011e-3)]


def test_messages_of_one_pair_keep_their_order_and_tags_find_their_own():
    def talk():
        rank, _ = me()
        first, second, third = (torch.full((2,), float(i)) for i in range(3))
        if rank == 0:
            work = [dist.isend(first, 1), dist.isend(second, 1, tag=7), dist.isend(third, 1)]
            [one.wait() for one in work]
            return None
        dist.recv(tagged := torch.zeros(2), 0, tag=7)
        dist.recv(a := torch.zeros(2), 0)
        dist.recv(b := torch.zeros(2), 0)
        return tagged[0].item(), a[0].item(), b[0].item()

    assert run_light(talk, 2).results[1] == (1.0, 0.0, 2.0)


def test_a_receive_from_anybody_takes_the_first_and_says_who():
    def gather():
        rank, ranks = me()
        if rank:
            work_for(1e-3 * (ranks - rank))
            dist.send(torch.tensor([float(rank)]), 0)
            return None
        got = torch.zeros(1)
        return [(dist.recv(got), got.item()) for _ in range(ranks - 1)]

    assert run_light(gather, 4).results[0] == [(3, 3.0), (2, 2.0), (1, 1.0)]


def test_a_batch_of_sends_and_receives_goes_at_once():
    def swap():
        rank, ranks = me()
        got = torch.zeros(1)
        ops = [
            dist.P2POp(dist.isend, torch.tensor([float(rank)]), (rank + 1) % ranks),
            dist.P2POp(dist.irecv, got, (rank - 1) % ranks),
        ]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        return got.item()

    assert run_light(swap, 3).results == (2.0, 0.0, 1.0)


def test_work_says_whether_it_is_done():
    def ask():
        if dist.get_rank() == 0:
            dist.send(torch.ones(1), 1)
            return None
        work = dist.irecv(got := torch.zeros(1), 0)
        before = work.is_completed(), got.isnan().item()
        work.wait()
        return before, work.is_completed(), got.item()

    assert run_light(ask, 2).results[1] == ((False, True), True, 1.0)


def test_what_arrived_is_there_for_who_waited_for_it():
    def exchange():
        other = 1 - dist.get_rank()
        sending = dist.isend(torch.ones(1), other)
        receiving = dist.irecv(got := torch.zeros(1), other)
        sending.wait()
        work_for(1e-3)
        before = got.isnan().item()
        receiving.wait()
        return before, got.item()

    assert run_light(exchange, 2).results == ((True, 1.0), (True, 1.0))


def test_a_deadlock_says_who_waits_for_whom_in_which_line():
    def everybody_sends_first():
        rank, ranks = me()
        x = torch.zeros(4)
        dist.send(x, (rank + 1) % ranks)
        dist.recv(x, (rank - 1) % ranks)

    with pytest.raises(DeadlockError) as told:
        run_light(everybody_sends_first, 3)
    assert [one.name for one in told.value.waiting] == ["rank 0", "rank 1", "rank 2"]
    said = "rank 2 waits for a send of (4,) float32 to rank 0 (line"
    assert said in str(told.value) and "dist.send(x, (rank + 1) % ranks)" in str(told.value)


def test_a_rank_that_fails_is_told_and_not_those_that_wait_for_it():
    def fails():
        if dist.get_rank() == 1:
            raise KeyError("weights")
        dist.barrier()

    with pytest.raises(RankError, match=r"rank 1 failed: KeyError: 'weights'") as told:
        run_light(fails, 3)
    assert told.value.rank == 1 and isinstance(told.value.fault, KeyError)


def sends(tensor, *, into=None, to=1):
    def run():
        if dist.get_rank() == 0:
            dist.send(tensor, to)
        elif dist.get_rank() == 1:
            dist.recv(torch.zeros(4) if into is None else into, 0)

    return run


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            sends(torch.zeros(5)),
            r"rank 0 sends \(5,\) float32 .*rank 1 receives into \(4,\) float32",
        ),
        (sends(torch.zeros(4).double()), r"\(4,\) float64 .*\(4,\) float32"),
        (sends(torch.zeros(4), to=2), "there is no rank 2: they are 0 to 1"),
        (sends(torch.zeros(4), to=0), "rank 0 calls a send with itself"),
        (sends([1.0]), "a send takes a tensor, got list"),
    ],
)
def test_what_does_not_fit_together_is_told(function, told):
    with pytest.raises(CommunicationError, match=told):
        run_light(function, 2)


@pytest.mark.parametrize("whole", [int, np.int64, np.uint8])
def test_a_rank_may_be_a_whole_number_of_numpy(whole):
    def body():
        if dist.get_rank() == whole(0):
            dist.send(torch.ones(2), whole(1))
            return 2.0
        found = torch.zeros(2)
        dist.recv(found, whole(0))
        return float(found.sum())

    assert run_light(body, 2).results == (2.0, 2.0)


@pytest.mark.parametrize("rank", [True, 1.0, "1", torch.tensor(1)])
def test_a_rank_is_a_whole_number(rank):
    with pytest.raises(CommunicationError, match="there is no rank"):
        run_light(sends(torch.zeros(4), to=rank), 2)


def test_a_tensor_that_is_changed_while_it_is_sent_is_told():
    def hurries():
        if dist.get_rank() == 0:
            x = torch.zeros(4)
            work = dist.isend(x, 1)
            x += 1
            work.wait()
        else:
            dist.recv(torch.zeros(4), 0)

    with pytest.raises(CommunicationError, match="changed it before it was sent"):
        run_light(hurries, 2)


def test_what_is_sent_may_have_another_shape_and_strides():
    def pass_on():
        if dist.get_rank() == 0:
            dist.send(torch.arange(6.0).reshape(2, 3).T, 1)
            return None
        dist.recv(got := torch.zeros(6), 0)
        return got.tolist()

    assert run_light(pass_on, 2).results[1] == [0, 3, 1, 4, 2, 5]


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_in_any_order_of_ranks_the_same_is_sent(seed):
    run = run_light(ring_all_reduce, 4, 10, cluster=Cluster(4, LINK), seed=seed)
    assert sent_bytes(run.exchanges, 4) == sent_bytes(
        run_light(ring_all_reduce, 4, 10, cluster=Cluster(4, LINK)).exchanges, 4
    )
    assert np.allclose(run.results[2], 4 * np.arange(10) + 6)


def test_names_that_were_imported_one_by_one_are_lent_too():
    space = {"torch": torch}
    exec(
        "from torch.distributed import get_rank, broadcast\n"
        "def run():\n"
        "    x = torch.tensor([float(get_rank())])\n"
        "    broadcast(x, 2)\n"
        "    return x.item()\n",
        space,
    )
    original = space["get_rank"]
    assert run_light(space["run"], 3).results == (2.0, 2.0, 2.0)
    assert space["get_rank"] is original is dist.get_rank


def test_elsewhere_torch_distributed_is_what_it_was():
    before = dict(vars(dist))
    run_light(lambda: dist.barrier(), 2)
    assert {name: vars(dist)[name] for name in before} == before
    assert not dist.is_initialized()


@pytest.mark.parametrize(
    ("ranks", "cluster", "told"),
    [(0, None, "at least one rank"), (2, Cluster(3, LINK), "do not fit a cluster of 3")],
)
def test_bad_numbers_of_ranks_are_refused(ranks, cluster, told):
    with pytest.raises(ValueError, match=told):
        run_light(me, ranks, cluster=cluster)


@pytest.mark.parametrize("seed", range(6))
def test_a_ranks_messages_leave_in_the_order_of_its_sends(seed):
    """Whoever of the receivers comes first at the same instant: the farthest was sent to first."""

    def program():
        got = torch.zeros(1_000_000)
        if dist.get_rank() == 0:
            sent = [dist.isend(torch.ones(1_000_000), to) for to in (3, 1, 2)]
            for one in sent:
                one.wait()
        else:
            dist.recv(got, 0)

    run = run_light(program, 4, seed=seed)
    assert [one.peer for one in run.exchanges if one.kind == "send"] == [3, 1, 2]


def test_one_element_of_many_is_sent_and_received():
    def pass_on():
        rank, _ = me()
        whole = torch.arange(12.0) * (rank == 0)
        dist.broadcast(whole[7::6], 0)
        dist.send(whole[3::9], 1) if rank == 0 else dist.recv(whole[3::9], 0)
        return whole[3].item(), whole[7].item()

    assert run_light(pass_on, 2).results == ((3.0, 7.0), (3.0, 7.0))
