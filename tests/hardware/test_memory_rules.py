"""Counts worked out by hand, and random requests against sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.hardware.memory_rules import (
    distinct,
    ideal_sectors,
    ideal_wavefronts,
    same_address_lanes,
    sectors,
    wavefronts,
)

LANE = np.arange(32)
ODD = LANE % 2 == 1


def slow_sectors(address, itemsize, active):
    touched = set()
    for start, on in zip(address.tolist(), active.tolist(), strict=True):
        if on:
            touched |= {byte // 32 for byte in range(start, start + itemsize)}
    return len(touched)


def slow_wavefronts(address, itemsize, active):
    size = max(size for size in (16, 8, 4, 2, 1) if itemsize % size == 0)
    return sum(slow_passes(address + i, size, active) for i in range(0, itemsize, size))


def slow_passes(address, size, active):
    group = 32 if size <= 4 else 128 // size
    total = 0
    for first in range(0, 32, group):
        words = {
            (int(address[lane]) + part) // 4
            for lane in range(first, first + group)
            if active[lane]
            for part in range(0, size, 4)
        }
        total += max(Counter(word % 32 for word in words).values(), default=0)
    return total


# --- global memory -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stride", "expected"), [(0, 1), (1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (32, 32), (-1, 4)]
)
def test_sectors_of_float32_at_a_stride(stride, expected):
    assert sectors(4096 + 4 * stride * (LANE if stride >= 0 else LANE - 31), 4) == expected


@pytest.mark.parametrize(("offset", "expected"), [(0, 4), (1, 5), (7, 5), (8, 4), (-1, 5)])
def test_sectors_of_a_shifted_row(offset, expected):
    assert sectors(1024 + 4 * (LANE + offset), 4) == expected


@pytest.mark.parametrize(
    ("itemsize", "contiguous", "shifted_by_one_byte"),
    [(1, 1, 2), (2, 2, 3), (4, 4, 5), (8, 8, 9), (16, 16, 17), (12, 12, 13), (48, 48, 49)],
)
def test_sectors_by_itemsize(itemsize, contiguous, shifted_by_one_byte):
    address = 2**20 + itemsize * LANE
    assert sectors(address, itemsize) == contiguous == ideal_sectors(32, itemsize)
    assert sectors(address + 1, itemsize) == shifted_by_one_byte


def test_an_element_across_a_border_touches_both_sectors():
    assert sectors(np.full(32, 30), 4) == 2
    assert sectors(np.full(32, 31), 34) == 3
    assert sectors(np.full(32, 31), 33) == 2


def test_sectors_of_16x16_tile_rows():
    row, column = LANE // 16, LANE % 16
    assert sectors(4 * (row * 1000 + column), 4) == 4
    assert sectors(4 * (column * 1000 + row), 4) == 16


def test_inactive_lanes_neither_count_nor_need_a_valid_address():
    wild = np.where(ODD, 8 * LANE, np.where(LANE < 16, -(2**62), 2**62))
    assert sectors(wild, 4, ODD) == 8
    assert wavefronts(wild, 4, ODD) == 2
    assert distinct(wild, ODD) == 16
    assert same_address_lanes(wild, ODD) == 1


@pytest.mark.parametrize("rule", [sectors, wavefronts])
def test_a_partial_mask(rule):
    assert rule(128 * LANE, 4, LANE < 5) == 5
    assert rule(128 * LANE, 4, LANE == 31) == 1
    assert rule(128 * LANE, 4, np.zeros(32, bool)) == 0


def test_addresses_further_apart_than_32_bits():
    assert sectors(LANE * 2**40, 4) == 32
    assert sectors((LANE // 2) * 2**40, 4, ODD) == 16
    assert same_address_lanes((LANE // 4) * 2**40) == 4
    assert sectors(2**45 + 4 * LANE, 4) == 4


def test_ideal_sectors_rounds_up_and_is_zero_for_no_lane():
    np.testing.assert_array_equal(ideal_sectors(np.array([0, 1, 8, 9, 32]), 4), [0, 1, 1, 2, 4])


# --- shared memory -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stride", "expected"),
    [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1), (-1, 1)],
)
def test_wavefronts_of_float32_at_a_stride(stride, expected):
    assert wavefronts(8192 + 4 * stride * LANE, 4) == expected


@pytest.mark.parametrize(("pitch", "expected"), [(32, 32), (33, 1), (34, 2), (36, 4)])
def test_wavefronts_of_a_transposed_read(pitch, expected):
    assert wavefronts(4 * (LANE * pitch + 5), 4) == expected


@pytest.mark.parametrize(("pitch", "expected"), [(16, 8), (17, 2), (18, 1)])
def test_wavefronts_of_a_transposed_16x16_tile(pitch, expected):
    # a warp reads two columns of 16; at pitch 17 the last word of one and the first of the other
    # lie in bank 0, at pitch 18 one column fills the even banks and the other the odd ones
    words = (LANE % 16) * pitch + LANE // 16
    assert wavefronts(4 * words, 4) == expected


def test_equal_words_are_broadcast():
    two_rows = 4 * (LANE // 16 * 16)
    assert wavefronts(two_rows, 4) == 1
    two_rows_in_one_bank = 4 * (LANE // 16 * 32)
    assert wavefronts(two_rows_in_one_bank, 4) == 2
    eight_words_of_two_banks_met_four_times = 4 * (LANE % 8 // 2 * 32 + LANE % 2)
    assert wavefronts(eight_words_of_two_banks_met_four_times, 4) == 4


@pytest.mark.parametrize(
    ("itemsize", "stride", "expected"),
    [
        (1, 1, 1),
        (1, 4, 1),
        (1, 128, 32),
        (2, 1, 1),
        (2, 4, 2),
        (8, 1, 2),
        (8, 2, 4),
        (8, 16, 32),
        (8, 17, 2),
        (8, 0, 2),
        (16, 1, 4),
        (16, 2, 8),
        (16, 8, 32),
        (16, 9, 4),
        (12, 1, 3),
        (32, 1, 16),
    ],
)
def test_wavefronts_by_itemsize(itemsize, stride, expected):
    assert wavefronts(itemsize * stride * LANE, itemsize) == expected


def test_a_phase_without_an_active_lane_costs_nothing():
    assert wavefronts(8 * LANE, 8, LANE < 16) == 1
    assert wavefronts(16 * LANE, 16, LANE >= 24) == 1
    assert wavefronts(16 * LANE, 16, LANE % 8 == 0) == 4
    assert ideal_wavefronts(8, LANE < 16) == 1
    assert ideal_wavefronts(16, LANE % 8 == 0) == 4
    assert ideal_wavefronts(4, np.zeros(32, bool)) == 0
    assert ideal_wavefronts(12, LANE < 8) == 3


def test_ideal_wavefronts_for_full_warps():
    np.testing.assert_array_equal(ideal_wavefronts(8, shape=(3,)), [2, 2, 2])


# --- collisions and values ---------------------------------------------------------------------


@pytest.mark.parametrize(("lanes_each", "expected"), [(1, 1), (2, 2), (3, 3), (5, 5), (32, 32)])
def test_same_address_lanes(lanes_each, expected):
    assert same_address_lanes(4 * (LANE // lanes_each)) == expected


def test_same_address_lanes_of_a_mask():
    assert same_address_lanes(np.zeros(32, int), LANE < 7) == 7
    assert same_address_lanes(np.zeros(32, int), np.zeros(32, bool)) == 0


def test_distinct_takes_any_integers():
    assert distinct(LANE - 16) == 32
    assert distinct(np.full(32, -1, np.int8), ODD) == 1
    extreme = np.where(LANE < 3, 2**63 - 1, -(2**63))
    assert distinct(extreme) == distinct(extreme, LANE < 9) == 2
    assert distinct(np.where(LANE < 3, -1, LANE), LANE < 4) == 2
    assert distinct(np.full(32, 2**64 - 1, np.uint64), ODD) == 1
    assert distinct(np.where(ODD, 2**64 - 1, 5).astype(np.uint64), LANE < 4) == 2


# --- shapes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(32,), (0, 32), (1, 32), (3, 0, 32), (2, 3, 4, 32)])
def test_the_result_has_the_leading_shape(shape):
    address, active = np.zeros(shape, np.int64), np.ones(shape, bool)
    for mask in (None, active):
        assert np.shape(sectors(address, 4, mask)) == shape[:-1]
        assert np.shape(sectors(address + 30, 4, mask)) == shape[:-1]
        assert np.shape(wavefronts(address, 4, mask)) == shape[:-1]
        assert np.shape(wavefronts(address, 16, mask)) == shape[:-1]
        assert np.shape(distinct(address, mask)) == shape[:-1]
        assert np.shape(same_address_lanes(address, mask)) == shape[:-1]
    assert np.shape(ideal_wavefronts(16, active)) == shape[:-1]


@pytest.mark.parametrize("rule", [sectors, wavefronts])
def test_one_row_of_addresses_meets_many_masks(rule):
    masks = np.arange(40)[:, None] > LANE
    np.testing.assert_array_equal(rule(128 * LANE, 4, masks), np.minimum(np.arange(40), 32))
    np.testing.assert_array_equal(rule(np.tile(128 * LANE, (2, 1)), 4, ODD), [16, 16])


def test_many_warps_are_counted_as_each_alone():
    random = np.random.default_rng(11)
    address = 4 * random.integers(0, 300, (5, 1003, 32)) * random.integers(1, 40, (5, 1003, 1))
    active = random.random(address.shape) < random.random((5, 1003, 1))
    for rule in (sectors, wavefronts):
        for mask in (None, active):
            at_once = rule(address, 4, mask)
            halves = [rule(address[i], 4, None if mask is None else mask[i]) for i in range(5)]
            np.testing.assert_array_equal(at_once, halves)


def test_strides_of_memory_do_not_matter():
    address = np.asfortranarray(4 * np.random.default_rng(2).integers(0, 99, (6, 32)))
    np.testing.assert_array_equal(sectors(address, 4), sectors(address.copy("C"), 4))
    np.testing.assert_array_equal(wavefronts(address, 8), wavefronts(address.copy("C"), 8))
    np.testing.assert_array_equal(
        same_address_lanes(address[:, ::-1]), same_address_lanes(address.copy("C"))
    )


# --- against sets ------------------------------------------------------------------------------


@st.composite
def requests(draw):
    """Addresses of some structure, so that collisions, runs and borders all occur."""
    itemsize = draw(st.sampled_from([1, 2, 4, 8, 12, 16, 24]))
    kind = draw(st.sampled_from(["affine", "random", "clustered", "unaligned"]))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    base = draw(st.sampled_from([0, 32, 4096, 2**33]))
    if kind == "affine":
        element = LANE * draw(st.integers(0, 40)) // draw(st.integers(1, 8))
    else:
        element = seed.integers(0, draw(st.sampled_from([2, 33, 64, 5000])), 32)
    if kind == "clustered":
        element = element * 32 // itemsize
    address = base + element * itemsize
    if kind == "unaligned":
        address = address + seed.integers(0, 32, 32)
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
    return address, itemsize, seed.random(32) < share


@settings(derandomize=True, max_examples=400, deadline=None)
@given(requests())
def test_random_requests_against_sets(request):
    address, itemsize, active = request
    everyone, values = np.ones(32, bool), address[active].tolist()
    assert sectors(address, itemsize, active) == slow_sectors(address, itemsize, active)
    assert sectors(address, itemsize) == slow_sectors(address, itemsize, everyone)
    assert distinct(address, active) == len(set(values))
    assert same_address_lanes(address, active) == max(Counter(values).values(), default=0)
    if not (address % (itemsize & -itemsize)).any():
        assert wavefronts(address, itemsize, active) == slow_wavefronts(address, itemsize, active)
        assert wavefronts(address, itemsize) == slow_wavefronts(address, itemsize, everyone)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(requests())
def test_no_request_needs_less_than_the_ideal(request):
    address, itemsize, active = request
    own = np.cumsum(active) - 1  # each active lane an element of its own, side by side
    packed = itemsize * np.where(active, own, 0)
    assert sectors(packed, itemsize, active) == ideal_sectors(active.sum(), itemsize)
    assert wavefronts(address, itemsize, active) >= ideal_wavefronts(itemsize, active)
