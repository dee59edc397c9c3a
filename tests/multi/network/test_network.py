"""The cost model of networks: its formulas and its simulation say the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import UnknownNameError
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


def test_two_messages_from_one_port_go_one_after_the_other():
    traffic = simulate([[(0, 1, 2000), (0, 2, 4000)]], Cluster(3, SLOW))
    assert np.allclose(traffic.done_s, [15e-6, 13e-6, 15e-6])
    traffic = simulate([[(0, 2, 2000), (1, 2, 4000)]], Cluster(3, SLOW))
    assert np.allclose(traffic.done_s, [13e-6, 15e-6, 15e-6])


def test_there_is_no_barrier_between_rounds():
    rounds = [[(0, 1, 2_000_000)], [(2, 3, 2000)], [(3, 1, 2000)]]
    traffic = simulate(rounds, Cluster(4, SLOW))
    assert np.allclose(traffic.done_s[2:], [13e-6, 1012e-6 + 13e-6])


def test_gpus_that_share_a_card_wait_for_each_other():
    rounds = [[(0, 2, 2000), (1, 3, 2000)]]
    own = simulate(rounds, Cluster(4, FAST, SLOW, per_node=2))
    shared = simulate(rounds, Cluster(4, FAST, SLOW, per_node=2, shared_card=True))
    assert math.isclose(own.time_s, 13e-6) and math.isclose(shared.time_s, 14e-6)
    assert own.across_bytes == shared.across_bytes == 4000


def test_within_a_node_nobody_takes_the_card():
    rounds = [[(0, 1, 90_000), (1, 2, 2000)]]
    traffic = simulate(rounds, Cluster(4, FAST, SLOW, per_node=2))
    assert np.allclose(traffic.done_s[[0, 2]], [4e-6, 13e-6])


def test_a_thousand_ranks_are_simulated():
    ranks = 1024
    traffic = simulate(
        network.ring_all_reduce(ranks, 1024 * 1000), Cluster(ranks, FAST, SLOW, per_node=8)
    )
    assert traffic.messages == 2 * (ranks - 1) * ranks
    assert traffic.time_s >= network.ring_all_reduce_s(ranks, 1024 * 1000, FAST)


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([(0, 3, 1)], r"round 1: no message between 3 ranks: \(0, 3, 1\)"),
        ([(1, 1, 1)], r"\(1, 1, 1\)"),
        ([(0, 1, -1)], r"\(0, 1, -1\)"),
        ([(0, 1, 1.5)], "three whole numbers"),
        ([(0, 1)], "three whole numbers"),
    ],
)
def test_what_is_no_message_is_told_with_its_round(messages, told):
    with pytest.raises(ValueError, match=told):
        simulate([[(0, 1, 4)], messages], Cluster(3, SLOW))


def test_an_empty_schedule_takes_no_time():
    assert simulate([], Cluster(3, SLOW)).time_s == simulate([[]], Cluster(3, SLOW)).time_s == 0


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Cluster(0, SLOW), "at least 1 rank"),
        (lambda: Cluster(4, SLOW, per_node=2), "need a link between them"),
        (lambda: Cluster(2, SLOW).between(0, 2), "no rank 2 of 2"),
        (lambda: Cluster(2, SLOW).between(1, 1), "to itself"),
        (lambda: Link("none", 1e-6, 0), "a rate above 0"),
        (lambda: SLOW.time_s(-1), "-1 bytes"),
    ],
)
def test_bad_clusters_and_links_are_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_links_have_sources_and_unknown_ones_are_named():
    assert all(own.sources for own in network.LINKS.values())
    assert network.link("infiniband-ndr").bytes_per_s == 400e9 / 8
    with pytest.raises(UnknownNameError, match="nvlink4"):
        network.link("nvlink44")


@given(
    st.floats(1e-6, 1e-3),
    st.floats(1e8, 1e11),
    st.integers(0, 2**32),
)
def test_a_link_is_found_again_from_noisy_times(latency_s, rate, seed):
    own = Link("own", latency_s, rate)
    middle = latency_s * rate
    sizes = middle * np.logspace(-2, 2, 9)
    noise = np.random.default_rng(seed).uniform(0.97, 1.03, len(sizes))
    times = [6 * own.time_s(size / 4) for size in sizes] * noise
    found = network.fit_link(sizes, times, steps=6, share=1 / 4)
    for size in middle * np.logspace(-1.5, 1.5, 5):
        assert math.isclose(found.time_s(size), own.time_s(size), rel_tol=0.05)


@pytest.mark.parametrize(
    ("sizes", "times", "told"),
    [
        ([1e3], [1e-3], "two different sizes"),
        ([1e3, 1e3], [1e-3, 2e-3], "two different sizes"),
        ([1e3, 1e6], [1e-3, 0], "above 0"),
        ([1e3, 1e9], [1e-3, 1e-5], "do not grow"),
    ],
)
def test_times_that_tell_nothing_are_refused(sizes, times, told):
    with pytest.raises(ValueError, match=told):
        network.fit_link(sizes, times)
