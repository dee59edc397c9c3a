"""Backfill by its laws, and by queues that can be worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuedu.exercises.clusters.batch_job.cluster_here import NODE, runs_of
from gpuedu.exercises.clusters.slurm.allocation import allocate
from gpuedu.exercises.clusters.slurm.scheduling import Amount, Cluster, Job, schedule

WHOLE = Amount(4, 64, 512_000)


def job(name, nodes, limit, takes=None, at=0.0, user="me", wants=WHOLE):
    return Job(name, user, nodes, wants, limit, limit if takes is None else takes, at)


def starts(cluster, jobs):
    return {one.job.name: one.start_min for one in schedule(cluster, jobs)}


def test_a_short_job_passes_a_waiting_one_and_a_long_one_does_not():
    running, waits = job("runs", 1, 100), job("waits", 2, 50, at=1)
    cluster = Cluster(2, WHOLE)
    found = starts(cluster, [running, waits, job("short", 1, 90, at=2), job("long", 1, 120, at=3)])
    assert found == {"runs": 0, "waits": 100, "short": 2, "long": 150}


def test_a_job_that_ends_early_lets_others_start_early():
    found = starts(Cluster(1, WHOLE), [job("first", 1, 100, takes=10), job("second", 1, 5, at=1)])
    assert found == {"first": 0, "second": 10}


def test_parts_of_a_node_are_shared():
    half = Amount(2, 32, 256_000)
    jobs = [job(str(at), 1, 60, wants=half, at=at) for at in range(3)]
    assert starts(Cluster(1, WHOLE), jobs) == {"0": 0, "1": 1, "2": 60}


def test_who_has_used_less_of_their_share_comes_first():
    cluster = Cluster(1, WHOLE, {"much": 1, "little": 1}, {"much": 90.0, "little": 10.0})
    jobs = [job("a", 1, 60, user="much"), job("b", 1, 60, user="little")]
    assert starts(cluster, jobs) == {"b": 0, "a": 60}


@pytest.mark.parametrize("seed", range(8))
def test_no_node_has_more_than_it_has_and_nobody_is_delayed_by_who_comes_later(seed):
    rng = np.random.default_rng(seed)
    jobs = []
    for at in range(14):
        wants = Amount(int(rng.integers(1, 5)), int(rng.integers(1, 65)), 1_000)
        limit = float(rng.integers(10, 200))
        jobs.append(job(str(at), int(rng.integers(1, 4)), limit, at=float(at), wants=wants))
    cluster = Cluster(4, WHOLE)
    placed = schedule(cluster, jobs)
    for one, node in itertools.product(placed, range(4)):
        here = [
            two.job.wants
            for two in placed
            if node in two.nodes and two.start_min <= one.start_min < two.end_min
        ]
        assert sum(want.gpus for want in here) <= 4 and sum(want.cores for want in here) <= 64
    assert all(one.start_min >= one.job.submitted_min for one in placed)
    fewer = starts(Cluster(4, WHOLE), jobs[:-1])
    found = {one.job.name: one.start_min for one in placed}
    assert {name: found[name] for name in fewer} == fewer


@pytest.mark.parametrize(
    ("limit", "first", "done"), [(225, 0, 935), (240, 0, 920), (241, 600, 1162), (1440, 600, 1146)]
)
def test_when_the_training_of_the_exercise_starts_and_is_done(limit, first, done):
    """546 min with a first start, and 6 more for each other; requeues take 2; the big job until 600."""
    given = allocate({"nodes": (2, 2), "exclusive": True, "mem": 0, "time": limit}, NODE)
    _, mine = runs_of(given)
    assert (mine[0].start_min, mine[-1].end_min) == (first, pytest.approx(done))
