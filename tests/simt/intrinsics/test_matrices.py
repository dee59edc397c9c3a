"""Matrices of a warp: every element is held, and every request covers the matrix once."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gpuedu.simt.intrinsics import matrices

SHAPES = ((16, 16), (32, 16), (16, 8), (8, 16), (16, 32), (32, 8), (8, 32))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_element_is_held_by_one_lane(shape):
    row, column = matrices.holders(*shape)
    held = np.zeros(shape, int)
    np.add.at(held, (row, column), 1)
    assert (held == 1).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_scattered_is_the_reverse_of_gathered(shape):
    values = np.random.default_rng(1).standard_normal((3, 2, *shape))
    lanes = matrices.scattered(values)
    assert lanes.shape == (shape[0] * shape[1] // 32, 3, 2, 32)
    np.testing.assert_array_equal(matrices.gathered(lanes, *shape), values)


@pytest.mark.parametrize(
    ("name", "kind", "shape", "by_columns"),
    [
        case
        for case in product(
            ("float16", "float32"),
            ("multiplicand", "accumulator", "ldmatrix"),
            SHAPES,
            (False, True),
        )
        if case[:2] not in (("float32", "multiplicand"), ("float32", "ldmatrix"))
    ],
)
def test_requests_cover_a_matrix_once(name, kind, shape, by_columns):
    dtype = np.dtype(name)
    width = matrices.width_of(dtype, shape, kind, by_columns=by_columns)
    asked = np.zeros(shape[::-1] if by_columns else shape, int)
    for request in matrices.requests(dtype, shape, kind, by_columns=by_columns):
        active = np.ones(32, bool) if request.active is None else request.active
        for neighbor in range(width):
            np.add.at(asked, (request.line[active], request.position[active] + neighbor), 1)
    assert (asked == 1).all()
    assert matrices.word(dtype, width).itemsize == width * dtype.itemsize


def test_products_are_exact_and_summed_in_order():
    """1 + 2**-24 is 1 in float32, unless the small ones come first."""
    left, right = np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float16)
    left[0], right[:, 0] = 2.0**-12, 2.0**-12
    left[1], right[:, 1] = 2.0**-24, 1.0
    start = np.zeros((16, 16), np.float32)
    start[0, 0] = 1
    made = matrices.product(left, right, start, np.dtype(np.float32))
    assert made[0, 0] == 1
    assert made[1, 1] == 16 * 2.0**-24  # float16's smallest numbers are not lost
    start[0, 0] = 0
    assert matrices.product(left, right, start, np.dtype(np.float32))[0, 0] == 2.0**-20


def test_an_accumulator_of_half_is_rounded_once_at_the_end():
    left, right = np.ones((16, 16), np.float16), np.ones((16, 16), np.float16)
    right[:] = 2.0**-11
    start = np.ones((16, 16), np.float16)
    made = matrices.product(left, right, start, np.dtype(np.float16))
    assert made.dtype == np.float16
    assert (made == 1 + 2.0**-7).all()  # each product alone would have been lost
