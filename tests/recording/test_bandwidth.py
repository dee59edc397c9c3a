"""The numbers that are copied."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.recording import bandwidth
from gpuedu.recording.bandwidth import numbers


def test_no_number_is_zero_and_all_are_float32():
    found = numbers(1000)
    assert found.dtype == np.float32 and found.shape == (1000,)
    assert found.min() >= 1 and found.max() <= 2 and len(np.unique(found)) > 990


@pytest.mark.parametrize("shift", [1, 32, 256, 1024])
def test_long_ones_repeat_but_not_by_rows_or_blocks(monkeypatch, shift):
    monkeypatch.setattr(bandwidth, "PERIOD", 1009)
    found = numbers(5000)
    np.testing.assert_array_equal(found[1009:2018], found[:1009])
    assert (found[shift:] != found[:-shift]).mean() > 0.99
