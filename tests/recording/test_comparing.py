"""A wrong element is found wherever it is; rounding is let pass."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.recording import comparing
from gpuedu.recording.comparing import difference, matmul_tolerance


def test_equal_arrays_are_right():
    a = np.random.default_rng(1).random((7, 5), np.float32)
    assert difference(a, a.copy()) == ""


@pytest.mark.parametrize("place", [0, 17, 34])
def test_one_wrong_element_is_found(monkeypatch, place):
    monkeypatch.setattr(comparing, "_PIECE", 8)
    a = np.random.default_rng(1).random((7, 5), np.float32)
    b = a.copy()
    b.flat[place] += 0.25
    assert difference(b, a, 0.1).startswith(f"element ({place // 5}, {place % 5}) is ")


def test_what_is_not_a_number_is_wrong():
    assert difference(np.array([np.nan]), np.array([np.nan]), 9.0)


def test_another_shape_is_wrong():
    assert "shape" in difference(np.zeros(3), np.zeros(4))


@pytest.mark.parametrize("k", [32, 512, 2048])
def test_float32_sums_pass_and_tf32_does_not(k):
    rng = np.random.default_rng(k)
    a, b = (2 * rng.random(shape, np.float32) - 1 for shape in ((64, k), (k, 64)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    total = np.zeros((64, 64), np.float32)
    for step in range(k):
        total += np.outer(a[:, step], b[step])
    assert difference(total, exact, matmul_tolerance(k)) == ""
    short = (np.round(x.view(np.int32) / 2**13).astype(np.int64) * 2**13 for x in (a, b))
    left, right = (x.astype(np.int32).view(np.float32).astype(np.float64) for x in short)
    assert difference(left @ right, exact, matmul_tolerance(k))


def test_a_wrong_element_of_a_transposed_view_is_found(monkeypatch):
    monkeypatch.setattr(comparing, "_PIECE", 8)
    a = np.random.default_rng(1).random((5, 7), np.float32)
    b = a.T.copy()
    assert difference(b, a.T) == ""
    b[6, 1] = np.nan
    assert difference(b, a.T) == f"element (6, 1) is nan, and should be {a[1, 6]}"
