"""Messages on a cluster: who waits for whom, and what is no message."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.multi import network
from gpuedu.multi.network import Cluster, Link, simulate

SLOW, FAST = Link("slow", 12e-6, 2e9), Link("fast", 3e-6, 90e9)


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
