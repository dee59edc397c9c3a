"""Steps of training: what of the messages is hidden, and what the slowest rank costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.distributed as dist
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import UnknownNameError
from gpuedu.multi.light import run_light, work_for
from gpuedu.multi.network import (
    Cluster,
    Link,
    draw_slowest,
    overlap,
    ring_all_reduce_s,
    slowest_s,
)

LINK = Link("made up", 20e-6, 1e9)


@pytest.mark.parametrize("bucket_bytes", [1, 2_000_000, 5_000_000, 1e12])
@pytest.mark.parametrize("factor", [0.1, 1.0, 10.0])
def test_light_ranks_take_what_the_timeline_says(bucket_bytes, factor):
    elements = [400_000, 100_000, 0, 300_000, 250_000, 50_000]
    layers_s = [factor * ms * 1e-3 for ms in (3, 1, 0.5, 2, 2.5, 1)]

    def step():
        works, filled = [], 0
        for layer in reversed(range(len(elements))):
            work_for(layers_s[layer])
            filled += elements[layer]
            if filled and (4 * filled >= bucket_bytes or layer == 0):
                works.append(dist.all_reduce(torch.zeros(filled), async_op=True))
                filled = 0
        for work in works:
            work.wait()

    ranks = 4
    said = overlap(
        layers_s,
        [4 * count for count in elements],
        lambda size: ring_all_reduce_s(ranks, size, LINK),
        bucket_bytes=bucket_bytes,
    )
    run = run_light(step, ranks, cluster=Cluster(ranks, LINK))
    assert run.time_s == pytest.approx(said.backward_s + said.exposed_s, rel=1e-6)
    ends_s = sorted({one.end_s for one in run.exchanges})
    assert ends_s == pytest.approx(sorted(said.end_s), rel=1e-6)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6)), min_size=1, max_size=8),
    st.floats(0, 4e6),
    st.floats(1e4, 1e8),
)
def test_what_is_hidden_and_what_is_exposed_is_all_there_is(layers, bucket_bytes, rate):
    layers_s, sizes = zip(*layers, strict=True)
    step = overlap(layers_s, sizes, lambda size: size / rate, bucket_bytes=bucket_bytes)
    total_s = sum(sizes) / rate
    assert step.hidden_s + step.exposed_s == pytest.approx(total_s, abs=1e-9)
    # Closed form: the last bucket's end is the latest of "from here on, no pause".
    tails = [
        ready
        + sum(end - start for start, end in zip(step.start_s[k:], step.end_s[k:], strict=True))
        for k, ready in enumerate(step.ready_s)
    ]
    assert step.exposed_s == pytest.approx(
        max(0.0, max(tails, default=0.0) - step.backward_s), abs=1e-9
    )
    assert -1e-12 <= step.exposed_s <= total_s + 1e-9


def test_a_step_needs_a_size_for_each_layer():
    for layers_s, sizes in (([], []), ([1.0], [1, 2])):
        with pytest.raises(ValueError, match="a time and a size"):
            overlap(layers_s, sizes, lambda size: size)


def test_the_slowest_of_few_is_what_is_known_exactly():
    root = math.sqrt(math.pi)
    for ranks, units in ((1, 0), (2, 1 / root), (3, 1.5 / root), (1000, 3.24143577)):
        assert slowest_s(2.0, 0.5, ranks) == pytest.approx(2.0 + 0.5 * units, abs=1e-8)
    assert slowest_s(2.0, 0.5, 4, "exponential") == pytest.approx(2 + 0.5 * (1 / 2 + 1 / 3 + 1 / 4))


@pytest.mark.parametrize("tail", ["normal", "exponential"])
def test_waiting_grows_with_the_ranks(tail):
    counts = [2**power for power in range(15)]
    found = [slowest_s(1.0, 0.1, ranks, tail) for ranks in counts]
    assert found[0] == pytest.approx(1.0) and (np.diff(found) > 0).all()
    waits = (np.array(found[4:]) - 1) / 0.1
    grows = np.log(counts[4:])
    if tail == "normal":
        assert (waits < np.sqrt(2 * grows)).all() and waits[-1] > 0.85 * np.sqrt(2 * grows[-1])
    else:
        assert np.allclose(waits, grows + np.euler_gamma - 1, atol=0.05)


@pytest.mark.parametrize("tail", ["normal", "exponential"])
@pytest.mark.parametrize("ranks", [1, 7, 256])
def test_drawn_steps_take_as_long_on_average(tail, ranks):
    drawn = draw_slowest(np.random.default_rng(3), 4000, 1.0, 0.1, ranks, tail)
    assert drawn.shape == (4000,)
    assert drawn.mean() == pytest.approx(slowest_s(1.0, 0.1, ranks, tail), abs=0.006)


def test_unknown_tails_and_no_ranks_are_refused():
    with pytest.raises(UnknownNameError, match="no tail is called"):
        slowest_s(1.0, 0.1, 4, "uniform")
    with pytest.raises(ValueError, match="at least 1 rank"):
        slowest_s(1.0, 0.1, 0)
    with pytest.raises(ValueError, match="a deviation of at least 0"):
        draw_slowest(np.random.default_rng(0), 1, 1.0, -0.1, 2)
