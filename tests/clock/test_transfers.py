"""The link: a straight line in the bytes."""

from __future__ import annotations

import pytest

from gpuedu.clock import Link


def test_a_copy_costs_latency_and_bytes_over_bandwidth():
    link = Link(latency_s=1e-3, pinned_bytes_per_s=1e6, pageable_bytes_per_s=5e5)
    assert link.time_s(0) == 1e-3
    assert link.time_s(2_000_000) == pytest.approx(2.001)
    assert link.time_s(2_000_000, pinned=False) == pytest.approx(4.001)


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="-1 bytes"):
        Link().time_s(-1)
    for bad in ({"latency_s": -1.0}, {"pinned_bytes_per_s": 0.0}, {"pageable_bytes_per_s": -1.0}):
        with pytest.raises(ValueError, match="rates above 0"):
            Link(**bad)
