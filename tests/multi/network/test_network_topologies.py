"""Fat trees, rails and tori: the way of a message, and what messages share on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.multi import network
from gpuedu.multi.network import Cluster, LeafSpine, Link, Torus, simulate

CARD, FAST = Link("card", 10e-6, 1e9), Link("fast", 3e-6, 10e9)
SPINE_S = 2e-6
MB = 10**6


def fat_tree(oversubscription=1.0, **more):
    """Two leaves of two nodes of two GPUs."""
    return LeafSpine(8, FAST, CARD, 2, False, 2, oversubscription, SPINE_S, **more)


def took_s(topology, *pairs):
    return simulate([[(src, dst, MB) for src, dst in pairs]], topology).time_s


def test_a_message_under_one_leaf_takes_the_cards_and_one_between_leaves_the_spine_too():
    tree = fat_tree()
    assert took_s(tree, (0, 1)) == pytest.approx(FAST.time_s(MB))
    assert took_s(tree, (0, 2)) == pytest.approx(CARD.time_s(MB))
    assert took_s(tree, (0, 4)) == pytest.approx(CARD.time_s(MB) + SPINE_S)
    assert tree.between(0, 4).latency_s == pytest.approx(CARD.latency_s + SPINE_S)
    assert tree.between(0, 4).bytes_per_s == CARD.bytes_per_s


@pytest.mark.parametrize("oversubscription", [1, 2, 4])
def test_an_oversubscribed_leaf_is_shared_upward_and_downward(oversubscription):
    tree = fat_tree(oversubscription)
    everybody = [(rank, rank + 4) for rank in range(4)]
    per_card_s = MB / CARD.bytes_per_s
    delay_s = CARD.latency_s + SPINE_S
    assert took_s(tree, *everybody) == pytest.approx(oversubscription * per_card_s + delay_s)
    # Within the leaf nobody shares anything.
    assert took_s(tree, (0, 2), (1, 3), (2, 0), (3, 1)) == pytest.approx(CARD.time_s(MB))


def test_one_message_alone_is_as_fast_as_its_slowest_link():
    assert took_s(fat_tree(2), (0, 4)) == pytest.approx(CARD.time_s(MB) + SPINE_S)
    assert took_s(fat_tree(8), (0, 4)) == pytest.approx(2 * MB / 1e9 + CARD.latency_s + SPINE_S)


def test_a_rail_joins_the_gpus_of_one_place():
    rails = LeafSpine(8, FAST, CARD, 2, False, None, 1.0, SPINE_S, rails=True)
    assert rails.leaf_of(np.arange(8)).tolist() == [0, 1] * 4
    assert took_s(rails, (0, 6)) == pytest.approx(CARD.time_s(MB))
    assert took_s(rails, (0, 7)) == pytest.approx(CARD.time_s(MB) + SPINE_S)
    far = LeafSpine(8, FAST, CARD, 2, False, 2, 1.0, SPINE_S, rails=True)
    assert far.leaf_of(np.arange(8)).tolist() == [0, 1, 0, 1, 2, 3, 2, 3]
    assert took_s(far, (0, 4)) == pytest.approx(CARD.time_s(MB) + SPINE_S)


def test_proxies_change_the_place_inside_the_node():
    rails = LeafSpine(8, FAST, CARD, 2, False, None, 4.0, SPINE_S, rails=True)
    proxies = LeafSpine(8, FAST, CARD, 2, False, None, 4.0, SPINE_S, rails=True, proxies=True)
    pairs = [(0, 3), (2, 5), (4, 7), (6, 1)]
    assert took_s(rails, *pairs) == pytest.approx(
        4 * MB / CARD.bytes_per_s + CARD.latency_s + SPINE_S
    )
    way_s = MB / CARD.bytes_per_s + CARD.latency_s + FAST.latency_s
    assert took_s(proxies, *pairs[::2]) == pytest.approx(way_s)
    # Both leave through GPU 1's card.
    assert took_s(proxies, (0, 3), (1, 5)) == pytest.approx(CARD.time_s(2 * MB))
    assert took_s(proxies, (0, 1)) == pytest.approx(FAST.time_s(MB))
    assert took_s(proxies, (0, 2)) == pytest.approx(CARD.time_s(MB))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_a_way_on_a_torus_goes_from_neighbor_to_neighbor_and_is_the_shortest(shape, data):
    wraps = tuple(data.draw(st.booleans()) for _ in shape)
    torus = Torus(tuple(shape), CARD, wraps)
    if torus.ranks == 1:
        return
    src = data.draw(st.integers(0, torus.ranks - 1))
    dst = (src + data.draw(st.integers(1, torus.ranks - 1))) % torus.ranks
    links, latency_s = torus.routes(np.array([src]), np.array([dst]))
    at = list(np.unravel_index(src, shape))
    for number in links[links >= 0].tolist():
        chip, axis, down = number // 2 // len(shape), number // 2 % len(shape), number % 2
        assert chip == np.ravel_multi_index(at, shape)
        at[axis] += -1 if down else 1
        assert wraps[axis] or 0 <= at[axis] < shape[axis]
        at[axis] %= shape[axis]
    assert np.ravel_multi_index(at, shape) == dst
    apart = np.abs(np.subtract(*(np.unravel_index(rank, shape) for rank in (src, dst))))
    least = sum(
        min(a, n - a) if joined else a for a, n, joined in zip(apart, shape, wraps, strict=True)
    )
    assert (links >= 0).sum() == least and latency_s[0] == pytest.approx(least * CARD.latency_s)


def test_messages_on_a_torus_share_the_links_that_they_pass():
    line = Torus((8,), CARD)
    per_link_s = MB / CARD.bytes_per_s
    assert took_s(line, (0, 3)) == pytest.approx(per_link_s + 3 * CARD.latency_s)
    # Chip 1's way begins on the second link of chip 0's.
    assert took_s(line, (0, 3), (1, 4)) == pytest.approx(2 * per_link_s + 3 * CARD.latency_s)
    assert took_s(line, (0, 3), (3, 6), (3, 0)) == pytest.approx(per_link_s + 3 * CARD.latency_s)


@pytest.mark.parametrize("shape", [(8,), (4, 8), (2, 6, 12), (4, 4, 8)])
def test_an_all_to_all_on_a_torus_is_bound_by_its_longest_axis(shape):
    for latency_s, rel in ((0.0, 1e-9), (1e-6, 0.05)):
        link = Link("link", latency_s, 1e9)
        torus = Torus(shape, link)
        blocks = network.all_to_all(torus.ranks, torus.ranks * 10**5)
        found_s = simulate(network.at_once(blocks), torus).time_s
        said_s = network.torus_all_to_all_s(shape, torus.ranks * 10**5, link)
        assert math.isclose(found_s, said_s, rel_tol=rel) and found_s <= said_s * (1 + 1e-9)


TOPOLOGIES = [
    Cluster(12, FAST, CARD, 4),
    Cluster(12, FAST, CARD, 4, shared_card=True),
    LeafSpine(12, FAST, CARD, 2, False, 3, 3.0, SPINE_S),
    LeafSpine(12, FAST, CARD, 3, False, 2, 2.0, SPINE_S, rails=True),
    LeafSpine(12, FAST, CARD, 3, False, 2, 2.0, SPINE_S, rails=True, proxies=True),
    Torus((3, 4), CARD),
    Torus((2, 2, 3), CARD, (True, False, True)),
]


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda one: type(one).__name__)
@given(data=st.data())
def test_any_messages_take_as_long_as_one_by_one(topology, data):
    ranks = topology.ranks
    message = st.tuples(
        st.integers(0, ranks - 1), st.integers(1, ranks - 1), st.integers(0, 5 * MB)
    ).map(lambda one: (one[0], (one[0] + one[1]) % ranks, one[2]))
    rounds = data.draw(st.lists(st.lists(message, max_size=8), max_size=4))
    ready_s, free_s = np.zeros(ranks), np.zeros(len(topology.rates))
    for messages in rounds:
        there = []
        for src, dst, size in messages:
            links, latency_s = topology.routes(np.array([src]), np.array([dst]))
            begin_s = passed_s = max(ready_s[src], ready_s[dst])
            for link in links[links >= 0]:
                free_s[link] = max(begin_s, free_s[link]) + size / topology.rates[link]
                passed_s = max(passed_s, free_s[link])
            there.append((src, dst, passed_s + latency_s[0]))
        for src, dst, time_s in there:
            ready_s[[src, dst]] = np.maximum(ready_s[[src, dst]], time_s)
    assert np.allclose(simulate(rounds, topology).done_s, ready_s, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: LeafSpine(4, FAST), "need `across`"),
        (lambda: LeafSpine(4, FAST, CARD, 2, oversubscription=0), "an uplink above 0"),
        (lambda: LeafSpine(4, FAST, CARD, 2, proxies=True), "proxies are for rails"),
        (lambda: LeafSpine(5, FAST, CARD, 2, rails=True), "full nodes"),
        (lambda: LeafSpine(4, FAST, CARD, 2, True, rails=True), "a card for each GPU"),
        (lambda: Torus((), CARD), "at least one chip"),
        (lambda: Torus((4, 0), CARD), "at least one chip"),
        (lambda: Torus((4, 4), CARD, (True,)), "should say for each axis"),
        (lambda: Torus((4, 4), CARD).between(0, 16), "no rank 16 of 16"),
        (lambda: fat_tree().between(3, 3), "to itself"),
    ],
)
def test_bad_topologies_are_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


@pytest.mark.parametrize(
    "topology",
    [LeafSpine(1024, FAST, CARD, 8, False, 4, 2.0, SPINE_S), Torus((8, 8, 16), CARD)],
    ids=lambda one: type(one).__name__,
)
def test_a_thousand_ranks_are_simulated_on_any_topology(topology):
    traffic = simulate(network.ring_all_reduce(1024, 1024 * 1000), topology)
    assert traffic.messages == 2 * 1023 * 1024
    assert traffic.time_s >= network.ring_all_reduce_s(1024, 1024 * 1000, CARD) * (1 - 1e-9)
