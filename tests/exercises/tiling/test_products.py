"""Known wrong products are told apart, and the tolerance lets float32 sums through."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.tiling.judge.products import (
    draw_matrices,
    is_right,
    known_products,
    product,
    product_cause,
    tolerance,
    turn_tiles,
)


def observed(c: np.ndarray) -> dict[str, object]:
    return {"c": c.astype(np.float32), "times": np.ones(c.size, int), "sightings": []}


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


def test_each_slip_is_named_by_its_own_sentence():
    inputs = draw_matrices(np.random.default_rng(3), 64, 96, 64)
    inputs["a"] = np.ascontiguousarray(np.hstack([inputs["a"], 2 * inputs["a"][:, ::-1]])[:, :96])
    inputs["b"] = draw_matrices(np.random.default_rng(4), 96, 96, 96)["b"]
    a, b, before = (inputs[name].astype(np.float64) for name in "abc")
    told = 0
    for theirs, says in known_products(a, b, before):
        if theirs.shape == before.shape and not np.allclose(theirs, a @ b):
            assert product_cause(inputs, observed(theirs)) == says
            told += 1
    assert told == 10


def test_what_is_not_a_known_slip_has_no_cause():
    inputs = draw_matrices(np.random.default_rng(3), 64, 64, 64)
    assert product_cause(inputs, observed(3 * product(inputs))) == ""


def test_turned_twice_is_as_before():
    m = np.random.default_rng(1).normal(0, 1, (64, 96))
    assert np.array_equal(turn_tiles(turn_tiles(m)), m)
    assert np.array_equal(turn_tiles(m)[32:, 64:], m[32:, 64:].T)
