"""The tolerance of products lets float32 sums through, in any order."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.tiling.judge.products import draw_matrices, is_right, product, tolerance


def observed(c: np.ndarray) -> dict[str, object]:
    return {"c": c.astype(np.float32)}


def sums_in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total += a[:, k : k + 1] * b[k : k + 1]
    return total


@pytest.mark.parametrize("shape", [(64, 96, 96), (33, 70, 65), (1, 1, 1)])
def test_a_float32_sum_in_any_order_is_right(shape):
    inputs = draw_matrices(np.random.default_rng(5), *shape)
    for a, b in ((inputs["a"], inputs["b"]), (inputs["a"][:, ::-1], inputs["b"][::-1])):
        assert is_right(inputs, observed(sums_in_order(a, b)))


def test_a_single_wrong_element_is_not():
    inputs = draw_matrices(np.random.default_rng(5), 33, 40, 64)
    c = product(inputs)
    c[32, 39] += 20 * tolerance(inputs)[32, 39]
    assert not is_right(inputs, observed(c))
