"""Bands: set from enough runs, held against the median."""

from __future__ import annotations

import pytest

from gpuedu.exercises.training.bands import Band, middle_half

RUNS = [0.8 + 0.004 * i for i in range(50)]


def test_a_band_needs_enough_runs():
    with pytest.raises(ValueError, match="49 reference runs, at least 50"):
        Band.of(RUNS[:49])


def test_one_lucky_or_unlucky_seed_decides_nothing():
    band = Band.of(RUNS)
    assert band.reaches([0.1, 0.85, 0.86])
    assert not band.reaches([0.1, 0.2, 0.99])


def test_the_margin_is_in_widths_of_the_band():
    band = Band.of(RUNS)
    just_below = [band.lowest - 0.4 * band.width] * 3
    assert band.reaches(just_below)
    assert not band.reaches(just_below, margin=0.3)


def test_the_middle_half_leaves_out_the_ends():
    assert middle_half([-100.0, 2.0, 3.0, 4.0, 900.0]) == (2.0, 4.0)
