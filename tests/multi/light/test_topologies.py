"""Light ranks run on every topology, and share its links."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

from gpuedu.multi import network
from gpuedu.multi.light import run_light
from gpuedu.multi.network import Cluster, LeafSpine, Link, Torus, simulate

CARD, FAST = Link("card", 10e-6, 1e9), Link("fast", 3e-6, 10e9)
TOPOLOGIES = [
    Cluster(8, FAST, CARD, 2, shared_card=True),
    LeafSpine(8, FAST, CARD, 2, False, 2, 4.0),
    LeafSpine(8, FAST, CARD, 4, oversubscription=2.0, rails=True),
    LeafSpine(8, FAST, CARD, 4, rails=True, proxies=True),
    Torus((2, 4), CARD),
]


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda one: type(one).__name__)
def test_messages_and_collectives_take_what_the_simulation_says(topology):
    def shift():
        rank = dist.get_rank()
        got = torch.zeros(1000)
        works = dist.batch_isend_irecv(
            [
                dist.P2POp(dist.isend, torch.full((1000,), float(rank)), (rank + 3) % 8),
                dist.P2POp(dist.irecv, got, (rank - 3) % 8),
            ]
        )
        for work in works:
            work.wait()
        return got[0].item()

    run = run_light(shift, 8, cluster=topology)
    assert run.results == tuple((rank - 3) % 8 for rank in range(8))
    rounds = [[(rank, (rank + 3) % 8, 4000) for rank in range(8)]]
    assert run.time_s == pytest.approx(simulate(rounds, topology).time_s)

    def total():
        x, whole = torch.ones(8), torch.zeros(800)
        dist.all_reduce(x)
        dist.all_to_all_single(whole, torch.full((800,), float(dist.get_rank())))
        return x[0].item(), whole[100].item()

    run = run_light(total, 8, cluster=topology)
    assert set(run.results) == {(8.0, 1.0)}
    parts = network.ring_all_reduce(8, 32), network.all_to_all(8, 3200)
    assert run.time_s == pytest.approx(sum(simulate(one, topology).time_s for one in parts))


def test_an_exchange_tells_what_leaves_a_node():
    cluster = Cluster(4, FAST, CARD, 2)

    def talk():
        rank = dist.get_rank()
        pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        dist.all_reduce(torch.ones(4))
        dist.all_reduce(torch.ones(4), group=pairs[rank // 2])
        if rank == 0:
            dist.send(torch.ones(3), 3)
        elif rank == 3:
            dist.recv(torch.ones(3), 0)

    run = run_light(talk, 4, cluster=cluster)
    sent = {
        one: [(e.wire_bytes, e.across_bytes) for e in run.exchanges if e.rank == one]
        for one in range(4)
    }
    # a ring through everybody leaves a node at its last rank
    assert sent[0] == [(24, 0), (16, 0), (12, 12)]
    assert sent[1] == [(24, 24), (16, 0)]
    assert sent[3] == [(24, 24), (16, 0), (0, 0)]
