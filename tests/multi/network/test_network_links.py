"""Links: their sources, and those that are fitted to times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import UnknownNameError
from gpuedu.multi import network
from gpuedu.multi.network import Link


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
