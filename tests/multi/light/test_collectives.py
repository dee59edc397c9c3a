"""Collectives between light ranks: their results, their time, and calls that do not agree."""

from __future__ import annotations

import math

import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import DeadlockError
from gpuedu.multi import network
from gpuedu.multi.exchanges import CommunicationError, wire_bytes, wire_bytes_in_full
from gpuedu.multi.light import run_light, work_for
from gpuedu.multi.network import Cluster, Link

LINK = Link("made up", 10e-6, 1e9)
RANKS = 3


def on_each(function, ranks=RANKS):
    return run_light(lambda: function(float(dist.get_rank())), ranks).results


def test_all_reduce():
    def sums(rank):
        found = []
        for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
            x = torch.tensor([rank + 1, 2 - rank])
            dist.all_reduce(x, op)
            found.append(x.tolist())
        return found

    assert on_each(sums) == ([[6, 3], [6, 0], [1, 0], [3, 2]],) * RANKS


def test_reduce_and_broadcast():
    def there_and_back(rank):
        x = torch.tensor([rank])
        dist.reduce(x, 1)
        kept = x.item()
        dist.broadcast(x, 1)
        return kept, x.item()

    assert on_each(there_and_back) == ((0.0, 3.0), (3.0, 3.0), (2.0, 3.0))


def test_means():
    def means(rank):
        x, part = torch.tensor([rank + 1, 2 - rank]), torch.zeros(1)
        dist.all_reduce(x, dist.ReduceOp.AVG)
        dist.reduce_scatter_tensor(part, torch.arange(3.0) + rank, dist.ReduceOp.AVG)
        return x.tolist(), part.item()

    assert on_each(means) == (([2, 1], 1), ([2, 1], 2), ([2, 1], 3))


def test_objects_are_broadcast_as_copies():
    sent = {"epoch": 3, "rates": [0.1, 0.2]}

    def spread(rank):
        found = [sent, "text"] if rank == 1 else [None, rank]
        dist.broadcast_object_list(found, src=1)
        found[0]["rates"].append(rank)
        return found

    first, root, last = on_each(spread)
    assert first == [{"epoch": 3, "rates": [0.1, 0.2, 0.0]}, "text"]
    assert root[0] is sent
    assert last[0]["rates"] == [0.1, 0.2, 2.0]


def test_objects_are_broadcast_within_a_group():
    def spread(rank):
        group, found = dist.new_group([0, 2]), [rank]
        dist.broadcast_object_list(found, src=2, group=group)
        return found

    assert on_each(spread) == ([2.0], [1.0], [2.0])


def test_a_broadcast_of_objects_that_a_rank_leaves_out_is_told_with_its_line():
    def leaves_out():
        if dist.get_rank() != 2:
            dist.broadcast_object_list([1], src=0)

    told = (
        r"collective 1, broadcast\(.*broadcast_object_list\(\[1\], src=0\).*; rank 2 has returned"
    )
    with pytest.raises(DeadlockError, match=told):
        run_light(leaves_out, RANKS)


def test_objects_are_gathered_by_all_of_a_group():
    def gather(rank):
        group, found = dist.new_group([0, 2]), [None, None]
        if rank != 1:
            dist.all_gather_object(found, {"rank": rank, "text": "x" * int(rank)}, group=group)
        return found

    both = [{"rank": 0.0, "text": ""}, {"rank": 2.0, "text": "xx"}]
    assert on_each(gather) == (both, [None, None], both)


def test_gathers():
    def gather(rank):
        whole, parts = torch.zeros(RANKS, 2), [torch.zeros(2) for _ in range(RANKS)]
        dist.all_gather_into_tensor(whole, torch.tensor([rank, -rank]))
        dist.all_gather(parts, torch.tensor([rank, -rank]))
        return whole.tolist() == [part.tolist() for part in parts] == [[0, 0], [1, -1], [2, -2]]

    assert all(on_each(gather))


def test_scatters():
    def scatter(rank):
        part, swapped = torch.zeros(2), torch.zeros(RANKS)
        dist.reduce_scatter_tensor(part, torch.arange(6.0) + rank)
        dist.all_to_all_single(swapped, torch.arange(3.0) + 10 * rank)
        return part.tolist(), swapped.tolist()

    assert on_each(scatter) == (
        ([3, 6], [0, 10, 20]),
        ([9, 12], [1, 11, 21]),
        ([15, 18], [2, 12, 22]),
    )


def test_lists_are_gathered_and_scattered_by_a_root():
    def there_and_back(rank):
        parts = [torch.zeros(1) for _ in range(RANKS)] if rank == 1 else None
        dist.gather(torch.tensor([rank + 10]), parts, dst=1)
        got, mine = torch.zeros(1), torch.zeros(2)
        dist.scatter(got, [2 * part for part in parts] if parts else None, src=1)
        dist.reduce_scatter(mine, [torch.full((2,), rank * place) for place in range(RANKS)])
        return got.item(), mine.tolist()

    assert on_each(there_and_back) == ((20, [0, 0]), (22, [3, 3]), (24, [6, 6]))


def test_the_time_of_a_broadcast_depends_on_where_its_root_is():
    far = Cluster(3, Link("near", 1e-6, 1e12), Link("far", 1e-3, 1e12), per_node=2)
    times = [
        run_light(lambda root: dist.broadcast(torch.zeros(4), root), 3, root, cluster=far).time_s
        for root in (0, 2)
    ]
    assert times == [pytest.approx(1.001e-3, rel=1e-3), pytest.approx(2e-3, rel=1e-3)]


@pytest.mark.parametrize(
    "begin",
    [
        lambda x: dist.all_reduce(x, async_op=True),
        lambda x: dist.broadcast(x, 1, async_op=True),
        lambda x: dist.all_gather_into_tensor(torch.zeros(12), x, async_op=True),
    ],
)
def test_a_tensor_that_is_changed_before_its_collective_is_done_is_told(begin):
    def hurries():
        work = begin(x := torch.zeros(4))
        if dist.get_rank() == 1:
            x += 1
        work.wait()

    with pytest.raises(CommunicationError, match=r"rank 1 called .*, and changed its tensor"):
        run_light(hurries, RANKS)


def test_what_a_broadcast_will_overwrite_may_change():
    def hurries():
        work = dist.broadcast(x := torch.full((4,), float(dist.get_rank())), 1, async_op=True)
        if dist.get_rank() != 1:
            x += 1
        work.wait()
        return x.tolist()

    assert run_light(hurries, RANKS).results == ([1.0] * 4,) * RANKS


def test_groups_have_ranks_of_their_own_and_meet_alone():
    def pairs():
        rank = dist.get_rank()
        groups = [dist.new_group([0, 2]), dist.new_group([1, 3])]
        own = groups[rank % 2]
        x = torch.tensor([float(rank)])
        dist.all_reduce(x, group=own)
        other = dist.get_rank(groups[1 - rank % 2])
        return x.item(), dist.get_rank(own), dist.get_world_size(own), other

    assert run_light(pairs, 4).results == (
        (2, 0, 2, -1),
        (4, 0, 2, -1),
        (2, 1, 2, -1),
        (4, 1, 2, -1),
    )


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_an_all_reduce_takes_as_long_as_a_ring(ranks):
    run = run_light(
        lambda: dist.all_reduce(torch.zeros(10**6)), ranks, cluster=Cluster(ranks, LINK)
    )
    assert math.isclose(run.time_s, network.ring_all_reduce_s(ranks, 4e6, LINK), rel_tol=1e-6)
    assert [one.size_bytes for one in run.exchanges] == [4 * 10**6] * ranks


def test_an_asynchronous_one_goes_on_while_its_rank_computes():
    def overlaps():
        work = dist.all_reduce(torch.zeros(10**6), async_op=True)
        work_for(3e-3)
        work.wait()

    time_s = network.ring_all_reduce_s(2, 4e6, LINK)
    assert run_light(overlaps, 2, cluster=Cluster(2, LINK)).time_s == pytest.approx(time_s)
    assert time_s > 3e-3


def test_two_of_one_group_go_one_after_the_other():
    def two():
        works = [dist.all_reduce(torch.zeros(10**6), async_op=True) for _ in range(2)]
        [work.wait() for work in works]

    time_s = 2 * network.ring_all_reduce_s(2, 4e6, LINK)
    assert run_light(two, 2, cluster=Cluster(2, LINK)).time_s == pytest.approx(time_s)


def differs(first, others):
    return lambda: (first if dist.get_rank() == 0 else others)()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            differs(
                lambda: dist.all_reduce(torch.zeros(4)), lambda: dist.all_reduce(torch.zeros(5))
            ),
            r"collective 1 of rank 0 is all_reduce\(\(4,\) float32, SUM\).*of rank 1 it is all_reduce"
            r"\(\(5,\) float32, SUM\)",
        ),
        (
            differs(lambda: dist.barrier(), lambda: dist.broadcast(torch.zeros(4), 0)),
            r"is barrier\(\).*it is broadcast\(\(4,\) float32, src=0\)",
        ),
        (
            differs(
                lambda: dist.broadcast(torch.zeros(4), 1), lambda: dist.broadcast(torch.zeros(4), 0)
            ),
            "src=1.*src=0",
        ),
        (
            lambda: dist.all_reduce(torch.zeros(4), dist.ReduceOp.BAND),
            "BAND does not work on light",
        ),
        (
            lambda: dist.all_reduce(torch.ones(4, dtype=torch.int64), dist.ReduceOp.AVG),
            r"rank 0 asks for the AVG of \(4,\) int64",
        ),
        (lambda: dist.broadcast(torch.zeros(4), 3), r"rank 3 is not one of the ranks \[0, 1, 2\]"),
        (
            lambda: dist.all_gather_into_tensor(torch.zeros(7), torch.zeros(2)),
            "3 times as many elements",
        ),
        (lambda: dist.all_gather([torch.zeros(2)], torch.zeros(2)), "a list of 3 tensors"),
        (lambda: dist.all_to_all_single(torch.zeros(4), torch.zeros(4)), "3 equal parts"),
        (lambda: dist.P2POp(dist.send, torch.zeros(1), 0), "`dist.isend` or `dist.irecv`"),
        (lambda: dist.batch_isend_irecv([]), "without any send or receive"),
        (lambda: dist.new_group([0, 3]), "no rank 3"),
        (lambda: dist.gather(torch.zeros(2), [torch.zeros(2)]), "`gather_list` should be a list"),
        (lambda: dist.scatter(torch.zeros(2)), "`scatter_list` should be a list of 3"),
        (lambda: dist.gather_object(1, []), "`gather_object` does not work on light"),
    ],
)
def test_calls_that_do_not_agree_are_told(function, told):
    with pytest.raises(CommunicationError, match=told):
        run_light(function, RANKS)


def test_a_rank_that_leaves_one_out_is_waited_for():
    def leaves_out():
        if dist.get_rank() != 1:
            dist.all_reduce(torch.zeros(4))

    with pytest.raises(
        DeadlockError,
        match=r"rank 0 waits for the others in collective 1, all_red.*; rank 1 has ret",
    ):
        run_light(leaves_out, RANKS)


def test_ranks_that_all_wait_are_told_without_any_that_has_returned():
    def apart():
        group = dist.new_group([0, 1])
        dist.all_reduce(torch.zeros(1), group=group if dist.get_rank() == 0 else None)

    with pytest.raises(DeadlockError) as caught:
        run_light(apart, RANKS)
    assert "returned" not in caught.value.message


@pytest.mark.parametrize("seed", range(8))
def test_collectives_called_at_one_instant_are_carried_in_the_order_of_their_calls(seed):
    def at_once():
        parts = [torch.zeros(n) for n in (5, 1, 4, 2, 3)]
        for work in [dist.all_reduce(part, async_op=True) for part in parts]:
            work.wait()

    found = run_light(at_once, RANKS, seed=seed).exchanges
    assert [one.size_bytes for one in found if one.rank == 0] == [20, 4, 16, 8, 12]


@pytest.mark.parametrize("call", ["all_reduce", "reduce", "broadcast"])
@pytest.mark.parametrize(("value", "told"), [(None, "None"), (3.0, "float")])
def test_what_is_no_tensor_is_told_with_its_rank(call, value, told):
    def on_rank():
        more = () if call == "all_reduce" else (0,)
        getattr(dist, call)(torch.ones(1) if dist.get_rank() == 0 else value, *more)

    with pytest.raises(CommunicationError, match=f"rank 1 calls {call} with {told}") as fault:
        run_light(on_rank, 2)
    assert fault.value.remedy


def test_groups_are_made_by_all_ranks_in_the_same_order():
    def own_group_only():
        first = dist.get_rank() // 2 * 2
        dist.new_group([first, first + 1])

    told = r"call 1 of `new_group` is for the ranks \[2, 3\] on rank 2, and for \[0, 1\] on rank 0"
    with pytest.raises(CommunicationError, match=told):
        run_light(own_group_only, 4)


def test_a_result_is_there_for_who_waited_for_it_not_for_a_later_one():
    def later():
        first, last = torch.ones(1), torch.ones(1)
        works = [dist.all_reduce(x, async_op=True) for x in (first, last)]
        works[1].wait()
        before = first.item(), last.item()
        assert works[0].is_completed()
        return before, first.item()

    assert run_light(later, 2).results == (((1.0, 2.0), 2.0),) * 2


def test_a_result_is_of_what_was_there_when_it_was_done():
    """Rank 0 has waited, and writes on, before the other looks."""

    def broadcast_and_write():
        x = torch.full((1,), float(dist.get_rank() + 1))
        work = dist.broadcast(x, 0, async_op=True)
        if dist.get_rank() == 1:
            work_for(1.0)
        work.wait()
        got = x.item()
        x.fill_(9.0)
        return got

    assert run_light(broadcast_and_write, 2).results == (1.0, 1.0)


def test_uneven_parts_as_in_pytorchs_example():
    """The example of PyTorch's documentation of all_to_all_single, on its first three ranks."""
    inputs = [[0, 1, 2, 3, 4], [10, 11, 12, 13, 14, 15, 16], [20, 21, 22, 23]]
    splits = [[2, 2, 1], [3, 2, 2], [2, 1, 1]]

    def swap(place):
        rank = int(place)
        takes = [row[rank] for row in splits]
        output = torch.zeros(sum(takes), dtype=torch.int64)
        dist.all_to_all_single(output, torch.tensor(inputs[rank]), takes, splits[rank])
        return output.tolist()

    assert on_each(swap) == (
        [0, 1, 10, 11, 12, 20, 21],
        [2, 3, 13, 14, 22],
        [4, 15, 16, 23],
    )


def test_uneven_parts_are_rows_and_only_they_are_on_the_wires():
    """Rank 0 has nothing for itself and three rows for rank 2; the others have nothing."""

    def send():
        rank = dist.get_rank()
        x = torch.full((3 if rank == 0 else 0, 4), 7.0)
        got = torch.zeros(3 if rank == 2 else 0, 4)
        takes, gives = [3 * (rank == 2), 0, 0], [0, 0, 3 * (rank == 0)]
        work = dist.all_to_all_single(
            got,
            x,
            output_split_sizes=[int(n) for n in takes],
            input_split_sizes=[int(n) for n in gives],
            async_op=True,
        )
        work.wait()
        return got.tolist()

    run = run_light(send, RANKS)
    assert run.results == ([], [], [[7.0] * 4] * 3)
    assert [one.wire_bytes for one in sorted(run.exchanges, key=lambda one: one.rank)] == [48, 0, 0]


def test_one_side_may_be_even():
    def swap(rank):
        output = torch.zeros(RANKS)
        dist.all_to_all_single(output, torch.arange(3.0) + 10 * rank, input_split_sizes=[1, 1, 1])
        return output.tolist()

    assert on_each(swap) == ([0, 10, 20], [1, 11, 21], [2, 12, 22])


@pytest.mark.parametrize(
    ("splits", "told"),
    [
        (([1, 1, 1], [3, 0, 0]), "sends 12 B to rank 0, which expects 4 B"),
        (([1, 1, 1], [1, 1]), "`input_split_sizes` should be a list of 3 whole numbers"),
        (([1, 1, 2], [1, 1, 1]), "add up to the 3 rows of the output"),
        (([1, 1, 1], [1.0, 1, 1]), r"got \[1.0, 1, 1\]"),
        (([1, 1, 1], [4, -1, 0]), "`input_split_sizes` should be a list"),
        ((torch.tensor([1, 1, 1]), [1, 1, 1]), r"got tensor\(\[1, 1, 1\]\)"),
    ],
)
def test_parts_that_do_not_fit_are_told(splits, told):
    with pytest.raises(CommunicationError, match=told):
        run_light(lambda: dist.all_to_all_single(torch.zeros(3), torch.zeros(3), *splits), RANKS)


def test_rows_of_other_sizes_on_ranks_are_told():
    def swap():
        rows = torch.zeros(3, 1 + dist.get_rank())
        dist.all_to_all_single(rows.clone(), rows, [1, 1, 1], [1, 1, 1])

    with pytest.raises(CommunicationError, match=r"all_to_all\(rows of \(1,\) float32\)"):
        run_light(swap, RANKS)


def in_parts(groups):
    """An all-reduce in parts, each of which is a collective of a group of its own."""

    def on_rank():
        made = [dist.new_group() for _ in range(groups)]
        parts = zip(torch.zeros(9600).tensor_split(groups), made, strict=True)
        for one in [dist.all_reduce(part, group=group, async_op=True) for part, group in parts]:
            one.wait()

    return run_light(on_rank, RANKS, cluster=Cluster(RANKS, LINK)).time_s


def test_groups_share_the_links():
    assert in_parts(4) == pytest.approx(in_parts(1) + 3 * 2 * (RANKS - 1) * LINK.latency_s)


def test_groups_without_a_common_link_work_at_the_same_time():
    def on_rank(together):
        pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        mine = dist.get_rank() // 2
        if mine == 0 or together:
            dist.all_reduce(torch.zeros(1000), group=pairs[mine])

    cluster = Cluster(4, LINK)
    alone, both = (run_light(on_rank, 4, one, cluster=cluster).time_s for one in (False, True))
    assert both == alone


@pytest.mark.parametrize("first", ["message", "collective"])
def test_messages_and_collectives_share_the_links(first):
    def on_rank():
        x, y = torch.zeros(2, 1000)
        begun = []

        def message():
            send = dist.get_rank() == 0
            begun.append(dist.isend(x, 1) if send else dist.irecv(x, 0))

        def collective():
            begun.append(dist.broadcast(y, 0, async_op=True))

        for one in (message, collective) if first == "message" else (collective, message):
            one()
        for one in begun:
            one.wait()

    run = run_light(on_rank, 2, cluster=Cluster(2, LINK))
    assert run.time_s >= 2 * 4000 / LINK.bytes_per_s + LINK.latency_s


def test_whoever_rounds_what_is_sent_is_told_by_the_type_of_the_numbers():
    def on_rank():
        x = torch.zeros(4, dtype=torch.float32)
        dist.all_reduce(x)
        dist.all_reduce(x.long())
        dist.scatter(x, [x.clone()] * 2 if dist.get_rank() == 0 else None)
        if dist.get_rank() == 0:
            dist.send(x.double(), 1)
        else:
            dist.recv(x.double(), 0)

    run = run_light(on_rank, 2)
    assert [one.float_bytes for one in run.exchanges] == [4, 4, 0, 0, 4, 4, 8, 8]
    narrow_bytes = 2 * 16 + 16  # the sum, and what is scattered
    assert wire_bytes_in_full(run.exchanges) == wire_bytes(run.exchanges) + narrow_bytes
