from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.machine.counters import MaskCounts, SiteCounts
from gpuedu.simt.machine.masks import words
from gpuedu.simt.machine.views import Allocation, Flat, View
from gpuedu.trace import Space

SHAPE = (3, 64)
LAW = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def view_of(dtype: str, space: Space, start: int) -> View:
    data = np.zeros(256 if space is Space.GLOBAL else (3, 256), dtype)
    step = data.dtype.itemsize
    flat = Flat(data, Allocation(0, space, 256 * step + start, step, 4096), start, step)
    return View("a", flat, np.int64(0), (np.int64(256),), (1,), data.dtype, space)


def plain_counts(accesses, size: int, start: int, space: Space) -> dict[str, np.ndarray]:
    """Lane by lane: requests, lanes, sectors, and wavefronts, by block and warp."""
    names = ("requests", "lanes", "sectors", "wavefronts", "same_address_lanes")
    counts = {name: np.zeros((SHAPE[0], 2), int) for name in names}
    for at, mask in accesses:
        at = np.broadcast_to(at, SHAPE)
        mask = np.broadcast_to(True if mask is None else mask, SHAPE)
        for b in range(SHAPE[0]):
            for w in range(2):
                lanes = [t for t in range(32 * w, 32 * w + 32) if mask[b, t]]
                first = {t: start + int(at[b, t]) * size for t in lanes}
                counts["requests"][b, w] += bool(lanes)
                counts["lanes"][b, w] += len(lanes)
                if lanes:
                    met = [list(first.values()).count(x) for x in first.values()]
                    counts["same_address_lanes"][b, w] += max(met)
                if space is Space.GLOBAL:
                    touched = {(x + k) // 32 for x in first.values() for k in range(size)}
                    counts["sectors"][b, w] += len(touched)
                else:
                    counts["wavefronts"][b, w] += passes(first, size)
    return counts


def passes(first: dict[int, int], size: int) -> int:
    """Turns through the banks: 128 bytes of lanes at a time, one word of each bank a turn."""
    lanes, total = 32 * 4 // max(size, 4), 0
    for begin in range(0, 64, lanes):
        words: dict[int, set[int]] = {}
        for t, byte in first.items():
            if begin <= t < begin + lanes:
                for word in range(byte // 4, (byte + size - 1) // 4 + 1):
                    words.setdefault(word % 32, set()).add(word)
        total += max(map(len, words.values()), default=0)
    return total


@st.composite
def accesses(draw: st.DrawFn) -> list:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    made = []
    for _ in range(draw(st.integers(1, 4))):
        shape = draw(st.sampled_from([(1, 1), (1, 64), (3, 1), (3, 64)]))
        high = draw(st.sampled_from([1, 40, 256]))
        mask_shape = draw(st.sampled_from([None, (1, 64), (3, 64), (3, 1)]))
        mask = (
            None
            if mask_shape is None
            else rng.random(mask_shape) < draw(st.sampled_from([0.1, 0.9]))
        )
        made.append(
            (rng.integers(0, high, shape), None if mask is None or not mask.any() else mask)
        )
    return made


@LAW
@given(accesses(), st.sampled_from(["i1", "f4", "f8", "c16"]), st.sampled_from([0, 32]))
def test_global_counts_are_those_of_single_lanes(made, dtype, start):
    view = view_of(dtype, Space.GLOBAL, start)
    counts = SiteCounts(3, 2)
    for at, mask in made:
        counts.add(view, at, mask)
    counts.flush(slice(0, 3), SHAPE, None, atomic=True)
    expected = plain_counts(made, view.dtype.itemsize, start, Space.GLOBAL)
    for name in ("requests", "lanes", "sectors", "same_address_lanes"):
        np.testing.assert_array_equal(counts.column(name).reshape(3, 2), expected[name], name)


@LAW
@given(accesses(), st.sampled_from(["i1", "f4", "f8", "c16"]))
def test_shared_counts_are_those_of_single_lanes(made, dtype):
    view = view_of(dtype, Space.SHARED, 0)
    counts = SiteCounts(3, 2)
    for at, mask in made:
        counts.add(view, at, mask)
    counts.flush(slice(0, 3), SHAPE, None, atomic=False)
    expected = plain_counts(made, view.dtype.itemsize, 0, Space.SHARED)
    for name in ("requests", "lanes", "wavefronts"):
        np.testing.assert_array_equal(counts.column(name).reshape(3, 2), expected[name], name)
    assert not counts.column("same_address_lanes").any()


@LAW
@given(accesses(), st.sampled_from([Space.LOCAL, Space.CONSTANT]))
def test_registers_and_constants_are_counted_by_their_masks_alone(made, space):
    counts, view = SiteCounts(3, 2), view_of("f4", space, 0)
    for _ in range(50):  # a loop, whose turns have the same masks
        for at, mask in made:
            counts.add(view, at, mask)
    assert not counts.pending
    counts.flush(slice(0, 3), SHAPE, None, atomic=False)
    expected = plain_counts(made, 4, 0, space)
    for name in SiteCounts.NAMES:
        wanted = 50 * expected[name] if name in ("requests", "lanes") else 0
        np.testing.assert_array_equal(counts.column(name).reshape(3, 2), wanted, name)


def test_blocks_that_ran_are_the_ones_that_are_counted():
    counts = SiteCounts(6, 2)
    counts.add(view_of("f4", Space.GLOBAL, 0), np.arange(64)[np.newaxis], None)
    counts.flush(np.array([5, 1]), (2, 64), None, atomic=False)
    assert counts.column("requests").reshape(6, 2)[:, 0].tolist() == [0, 1, 0, 0, 0, 1]
    assert counts.column("sectors").sum() == 2 * 2 * 4


def test_many_lanes_make_a_batch():
    counts = SiteCounts(1, 1024)
    view, at = view_of("f4", Space.GLOBAL, 0), np.zeros((1, 32 * 1024), np.int64)
    full = [counts.add(view, at, None) for _ in range(9)]
    assert full == [False] * 8 + [True]


def test_masks_are_counted_words():
    counts = MaskCounts(3, 2)
    first_lanes = (np.arange(64) % 32 < 5)[np.newaxis]
    second_block = np.array([[False], [True], [False]])
    for mask in (None, None, first_lanes, second_block, first_lanes):
        counts.add(mask)
    counts.flush(slice(0, 3), SHAPE)
    assert counts.executions.tolist() == [[4, 4], [5, 5], [4, 4]]
    assert counts.lanes.tolist() == [[74, 74], [106, 106], [74, 74]]  # 64 + 10, and 32 more
    counts.flush(slice(0, 3), SHAPE)
    assert counts.lanes.sum() == 2 * (74 + 106 + 74)


def test_masks_with_equal_bits_are_told_apart_by_identity_and_all_counted():
    counts = MaskCounts(3, 2)
    full = [counts.add(np.ones((1, 64), bool)) for _ in range(100)]
    assert full == [False] * 64 + [True] * 36
    counts.flush(slice(0, 3), SHAPE)
    assert counts.executions.tolist() == [[100, 100]] * 3
    assert not counts.add(np.ones((1, 64), bool))


@pytest.mark.parametrize(
    "mask, rows", [(None, 1), (np.ones((1, 64), bool), 1), (np.ones((3, 1), bool), 3)]
)
def test_words_keeps_one_row_where_blocks_agree(mask, rows):
    assert words(mask, SHAPE).tolist() == [[0xFFFFFFFF, 0xFFFFFFFF]] * rows


def test_a_lane_is_a_bit_of_its_warps_word():
    mask = np.zeros(SHAPE, bool)
    mask[1, [0, 31, 33]] = True
    assert words(mask, SHAPE).tolist() == [[0, 0], [1 << 31 | 1, 1 << 1], [0, 0]]
