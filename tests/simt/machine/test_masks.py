from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.machine.masks import merge, narrow, same_as, union, without

SHAPE = (2, 4)
LAW = settings(derandomize=True, deadline=None, database=None, max_examples=150)


def full(mask) -> np.ndarray:
    """A mask written out as (B, T)."""
    return np.broadcast_to(True if mask is None else mask, SHAPE)


def is_proper(mask) -> bool:
    """None, False, or an array in which somebody is active."""
    return mask is None or mask is False or (isinstance(mask, np.ndarray) and bool(mask.any()))


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.sampled_from([(1, 4), (2, 1), (2, 4), (1, 1)]))
    bits = draw(st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=8))
    return np.array(bits[: shape[0] * shape[1]], bool).reshape(shape)


masks = st.one_of(st.just(None), arrays().filter(np.any))
sets = st.one_of(masks, st.just(False))


@LAW
@given(masks, st.one_of(arrays(), st.sampled_from([np.True_, np.False_])))
def test_narrow_parts_a_mask_in_two(mask, condition):
    then, orelse = narrow(mask, condition)
    assert is_proper(then) and is_proper(orelse)
    np.testing.assert_array_equal(full(then), full(mask) & condition)
    np.testing.assert_array_equal(full(orelse), full(mask) & ~condition)


@LAW
@given(masks, arrays())
def test_narrow_gives_the_mask_itself_where_nobody_leaves(mask, condition):
    then, orelse = narrow(mask, condition)
    if not full(orelse).any():
        assert then is mask
    if not full(then).any():
        assert orelse is mask


@LAW
@given(sets, sets)
def test_without_takes_threads_away(mask, gone):
    rest = without(mask, gone)
    assert is_proper(rest)
    np.testing.assert_array_equal(full(rest), full(mask) & ~full(gone))


def test_without_nobody_is_the_same_object():
    mask = np.array([[True, False, True, False]])
    assert without(mask, False) is mask
    assert without(None, False) is None
    assert without(mask, mask) is False


@LAW
@given(sets, sets)
def test_union_has_the_threads_of_both(first, second):
    both = union(first, second)
    assert is_proper(both)
    np.testing.assert_array_equal(full(both), full(first) | full(second))


def test_union_with_nobody_is_the_same_object():
    mask = np.array([[True, False, True, False]])
    assert union(mask, False) is mask
    assert union(False, mask) is mask


@LAW
@given(sets, masks)
def test_same_as_gives_the_other_object_for_the_same_threads(mask, other):
    result = same_as(mask, other)
    np.testing.assert_array_equal(full(result), full(mask))
    if mask is not False and isinstance(mask, np.ndarray) and (full(mask) == full(other)).all():
        assert result is other
    else:
        assert result is mask


@LAW
@given(sets, st.integers(0, 9), arrays())
def test_merge_takes_the_new_value_of_active_threads(mask, new, old):
    old = old * 100
    merged = np.broadcast_to(merge(mask, np.int64(new), old), SHAPE)
    np.testing.assert_array_equal(merged, np.where(full(mask), new, old))


def test_merge_with_a_value_that_is_not_there_yet():
    mask = np.array([[True, False, True, False]])
    new = np.arange(4)[np.newaxis]
    assert merge(mask, new, None) is new
    assert merge(mask, None, new) is new
    assert merge(False, np.int64(3), new) is new
    assert merge(None, np.int64(3), new) == 3
