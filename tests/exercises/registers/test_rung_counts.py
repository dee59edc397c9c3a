"""Counts of the ladder's figure are those of the machine."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.registers.rung_counts import COUNTED, N, counted_rungs
from gpuedu.ladder import rung
from gpuedu.lens import lens
from gpuedu.lens.roofline import roofline_point


@pytest.mark.parametrize("slug", ["tiled", "register-tile", "c-warp-tile"])
def test_counts_are_counted_again(slug):
    a, b, c = (np.ones((N, N), np.float32) for _ in range(3))
    point = roofline_point(lens(rung(slug).simulate(a, b, c, watch=())))
    assert point.flop == 2 * N**3
    assert (point.l1_bytes, point.memory_bytes, point.requested_bytes) == COUNTED[slug]


def test_rungs_stand_in_their_order():
    found = counted_rungs()
    assert [one.slug for one in found] == list(COUNTED)
    assert found[0].point.l1_intensity < found[2].point.l1_intensity < found[-1].point.l1_intensity
