"""Schedules of collectives: they take what the formulas say, and move no byte too many."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.multi import network
from gpuedu.multi.network import Cluster, Link, simulate

SLOW, FAST = Link("slow", 12e-6, 2e9), Link("fast", 3e-6, 90e9)
SIZES = (0, 840, 840 * 1000, 840 * 10**6)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_rings_and_trees_take_what_the_formulas_say(ranks, size):
    cluster = Cluster(ranks, SLOW)
    ring = simulate(network.ring_all_reduce(ranks, size), cluster)
    assert math.isclose(ring.time_s, network.ring_all_reduce_s(ranks, size, SLOW), rel_tol=1e-12)
    tree = simulate(network.tree_all_reduce(ranks, size), cluster)
    assert math.isclose(tree.time_s, network.tree_all_reduce_s(ranks, size, SLOW), rel_tol=1e-12)


@pytest.mark.parametrize("nodes,per_node", [(2, 2), (3, 4), (2, 8), (5, 3)])
def test_a_ring_of_rings_takes_what_the_formula_says(nodes, per_node):
    size = 8 * 3 * 5 * 2 * 10**5
    cluster = Cluster(nodes * per_node, FAST, SLOW, per_node)
    traffic = simulate(network.hierarchical_all_reduce(nodes, per_node, size), cluster)
    said = network.hierarchical_all_reduce_s(nodes, per_node, size, FAST, SLOW)
    assert math.isclose(traffic.time_s, said, rel_tol=1e-9)
    assert traffic.across_bytes == 2 * (nodes - 1) * size


@given(st.integers(1, 12), st.integers(0, 10_000))
def test_a_ring_moves_no_byte_too_many(ranks, size):
    traffic = simulate(network.ring_all_reduce(ranks, size), Cluster(ranks, SLOW))
    chunks = network.chunk_bytes(size, ranks)
    assert chunks.sum() == size and chunks.max() - chunks.min() <= 1
    assert traffic.sent_bytes.sum() == traffic.received_bytes.sum() == 2 * (ranks - 1) * size
    rank = np.arange(ranks)
    # Rank i never sends chunk i + 1 in the first half, nor chunk i + 2 in the second.
    less = chunks[(rank + 1) % ranks] + chunks[(rank + 2) % ranks]
    assert (traffic.sent_bytes == (2 * size - less if ranks > 1 else 0)).all()


@given(st.integers(1, 40), st.integers(0, 39))
def test_a_broadcast_reaches_everybody_once(ranks, root):
    root %= ranks
    have = {root}
    for messages in network.tree_broadcast(ranks, 8, root):
        senders, receivers = messages[:, 0].tolist(), messages[:, 1].tolist()
        assert set(senders) <= have and not set(receivers) & have
        assert len(set(senders)) == len(senders)
        have |= set(receivers)
    assert have == set(range(ranks))


@given(st.integers(3, 300), st.floats(1e-7, 1e-3), st.floats(1e7, 1e12))
def test_ring_and_tree_cross_where_it_is_said(ranks, latency_s, rate):
    own = Link("own", latency_s, rate)
    size = network.crossover_bytes(ranks, own)
    ring, tree = (
        f(ranks, size, own) for f in (network.ring_all_reduce_s, network.tree_all_reduce_s)
    )
    assert math.isclose(ring, tree, rel_tol=1e-6)
    assert network.ring_all_reduce_s(ranks, 2 * size + 1, own) < network.tree_all_reduce_s(
        ranks, 2 * size + 1, own
    )


NODES = [(1, 4), (3, 1), (2, 2), (3, 4), (2, 8), (5, 3)]
EVEN = 8 * 3 * 5 * 4 * 10**4


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("size", SIZES)
def test_halves_of_a_ring_and_an_all_to_all_take_what_the_formulas_say(ranks, size):
    cluster = Cluster(ranks, SLOW)
    for make, said in (
        (network.ring_reduce_scatter, network.ring_reduce_scatter_s),
        (network.ring_all_gather, network.ring_reduce_scatter_s),
        (network.all_to_all, network.all_to_all_s),
    ):
        took_s = simulate(make(ranks, size), cluster).time_s
        assert math.isclose(took_s, said(ranks, size, SLOW), rel_tol=1e-12), make


@pytest.mark.parametrize(("nodes", "per_node"), NODES)
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (network.hierarchical_reduce_scatter, network.hierarchical_reduce_scatter_s),
        (network.hierarchical_all_gather, network.hierarchical_reduce_scatter_s),
        (network.hierarchical_all_to_all, network.hierarchical_all_to_all_s),
    ],
)
def test_two_levels_take_what_the_formulas_say(nodes, per_node, make, said):
    cluster = Cluster(nodes * per_node, FAST, SLOW, per_node)
    took_s = simulate(make(nodes, per_node, EVEN), cluster).time_s
    assert math.isclose(took_s, said(nodes, per_node, EVEN, FAST, SLOW), rel_tol=1e-9)


@pytest.mark.parametrize(("nodes", "per_node"), NODES)
def test_two_steps_send_fewer_and_larger_messages_across(nodes, per_node):
    cluster, ranks = Cluster(nodes * per_node, FAST, SLOW, per_node), nodes * per_node
    plain = simulate(network.all_to_all(ranks, EVEN), cluster)
    rounds = list(network.hierarchical_all_to_all(nodes, per_node, EVEN))
    steps = simulate(rounds, cluster)
    # Every block crosses as before, and nodes * per_node ranks have nodes - 1 messages across.
    assert steps.across_bytes == plain.across_bytes
    across = np.concatenate([*rounds, np.zeros((0, 3), int)])
    across = across[across[:, 0] // per_node != across[:, 1] // per_node]
    assert len(across) == ranks * (nodes - 1)
    assert (across[:, 2] == per_node * EVEN // ranks).all()
    assert (across[:, 0] % per_node == across[:, 1] % per_node).all()


@pytest.mark.parametrize("nodes", [2, 4, 16])
def test_an_all_to_all_has_the_bus_bandwidth_that_nccl_tests_expects(nodes):
    # S. Jeaugey in nccl-tests issue 130: nodes / (nodes - 1) times a GPU's card.
    card, size = Link("card", 0.0, 50e9), 8 * nodes * 10**7
    cluster = Cluster(8 * nodes, Link("fast", 0.0, 1e15), card, per_node=8)
    (everything,) = network.at_once(network.all_to_all(8 * nodes, size))
    time_s = simulate([everything], cluster).time_s
    got = network.bus_bandwidth(8 * nodes, size, time_s, "all_to_all")
    assert math.isclose(got, nodes / (nodes - 1) * 50e9 * (1 - 1 / (8 * nodes)), rel_tol=1e-3)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.integers(0, 5000), st.data())
def test_rings_on_a_torus_move_no_byte_too_many(shape, size, data):
    streams = data.draw(st.integers(1, 2 * len(shape)))
    ranks = math.prod(shape)
    rounds = list(network.torus_all_reduce(shape, size, streams=streams))
    moved = sum(int(messages[:, 2].sum()) for messages in rounds)
    assert moved == 2 * (ranks - 1) * size


@pytest.mark.parametrize("shape", [(4,), (2, 3), (4, 4), (3, 2, 4)])
def test_one_ring_after_another_takes_what_the_formula_says(shape):
    torus = network.Torus(shape, SLOW)
    took_s = simulate(network.torus_all_reduce(shape, EVEN), torus).time_s
    assert math.isclose(took_s, network.torus_all_reduce_s(shape, EVEN, SLOW), rel_tol=1e-9)


@pytest.mark.parametrize("shape", [(5,), (4, 4), (3, 3, 3)])
def test_streams_on_a_cube_take_every_link_and_what_the_formula_says(shape):
    torus, streams = network.Torus(shape, SLOW), 2 * len(shape)
    size = EVEN * 27
    took_s = simulate(network.torus_all_reduce(shape, size, streams=streams), torus).time_s
    said_s = network.torus_all_reduce_s(shape, size, SLOW, streams)
    assert math.isclose(took_s, said_s, rel_tol=1e-9)
    assert said_s < network.torus_all_reduce_s(shape, size, SLOW) / (0.9 * streams)


def test_a_torus_has_as_many_streams_as_links():
    with pytest.raises(ValueError, match="1 to 4 streams, got 5"):
        list(network.torus_all_reduce((2, 2), 8, streams=5))
