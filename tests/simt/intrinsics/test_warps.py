from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.intrinsics import warps

FULL = 0xFFFFFFFF
masks = st.sampled_from([FULL, 0, 1, 0x80000000, 0xFFFF, 0xFFFF0000]) | st.integers(0, FULL)
DTYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]


def flags(mask):
    return np.array([mask >> lane & 1 for lane in range(32)], bool)


def source_lane(kind, lane, operand):
    """The PTX manual's account of shfl.sync, for a warp that is not divided into segments."""
    operand &= 31
    if kind == "up":
        source = lane - operand
        return source if source >= 0 else lane
    if kind == "down":
        source = lane + operand
        return source if source <= 31 else lane
    return operand if kind == "idx" else lane ^ operand


SHUFFLES = {
    "idx": warps.shfl_sync,
    "up": warps.shfl_up_sync,
    "down": warps.shfl_down_sync,
    "xor": warps.shfl_xor_sync,
}


def in_agreement(lane, active, members):
    """Whether a lane is in its own mask and all executing lanes that it names have the same."""
    named = [other for other in range(32) if members[lane] >> other & 1 and active[other]]
    return lane in named and all(members[other] == members[lane] for other in named)


@settings(max_examples=200, deadline=None)
@given(
    kind=st.sampled_from(sorted(SHUFFLES)),
    active=masks,
    members=masks | st.lists(masks, min_size=32, max_size=32),
    operand=st.integers(-3, 70) | st.lists(st.integers(-3, 70), min_size=32, max_size=32),
    dtype=st.sampled_from(DTYPES),
)
def test_shuffles(kind, active, members, operand, dtype):
    active = flags(active)
    value = (np.arange(32) * 7 + 100).astype(dtype)
    members_array = np.array(members, np.uint32)
    result, undefined = SHUFFLES[kind](value, np.array(operand), active, members_array)
    assert result.dtype == value.dtype
    assert result.shape == undefined.shape == (32,)
    members = np.broadcast_to(members_array, 32).tolist()
    operands = np.broadcast_to(operand, 32).tolist()
    for lane in np.flatnonzero(active).tolist():
        source = source_lane(kind, lane, operands[lane])
        legal = in_agreement(lane, active, members)
        readable = active[source] and members[lane] >> source & 1
        assert undefined[lane] == (not (legal and readable))
        if not undefined[lane]:
            assert result[lane] == value[source]
    assert not undefined[~active].any()


VOTES = {
    "all": (warps.all_sync, all),
    "any": (warps.any_sync, any),
    "eq": (warps.eq_sync, lambda votes: len(set(votes)) <= 1),
}


@settings(max_examples=200, deadline=None)
@given(
    active=masks,
    members=masks | st.lists(masks, min_size=32, max_size=32),
    predicate=masks,
    factor=st.sampled_from([1, -3, True]),
)
def test_votes(active, members, predicate, factor):
    active, truth = flags(active), flags(predicate)
    members_array = np.array(members, np.uint32)
    members = np.broadcast_to(members_array, 32).tolist()
    value = truth if factor is True else truth.astype(np.int32) * factor
    ballots, undefined = warps.ballot_sync(value, active, members_array)
    results = {kind: vote(value, active, members_array) for kind, (vote, _) in VOTES.items()}
    for lane in np.flatnonzero(active):
        assert undefined[lane] == (not in_agreement(lane, active, members))
        voters = [other for other in range(32) if members[lane] >> other & 1 and active[other]]
        votes = [bool(truth[voter]) for voter in voters]
        assert ballots[lane] == sum(1 << v for v, vote in zip(voters, votes, strict=True) if vote)
        for kind, (_, rule) in VOTES.items():
            assert results[kind][0][lane] == rule(votes), kind
    assert ballots.dtype == np.uint32
    for answer, same_undefined in results.values():
        assert answer.dtype == bool
        np.testing.assert_array_equal(same_undefined, undefined)


@settings(max_examples=100, deadline=None)
@given(
    active=masks,
    members=masks,
    values=st.lists(st.sampled_from([0, 1, 5]), min_size=32, max_size=32),
)
def test_matches(active, members, values):
    active, members = flags(active), np.uint32(members)
    value = np.array(values, np.int64)
    voters = [lane for lane in range(32) if int(members) >> lane & 1 and active[lane]]
    any_mask, undefined = warps.match_any_sync(value, active, members)
    all_mask, agreed, same_undefined = warps.match_all_sync(value, active, members)
    for lane in np.flatnonzero(active):
        assert undefined[lane] == same_undefined[lane] == (lane not in voters)
        if lane not in voters:
            continue
        assert any_mask[lane] == sum(1 << v for v in voters if value[v] == value[lane])
        same = len({values[v] for v in voters}) == 1
        assert agreed[lane] == same
        assert all_mask[lane] == (sum(1 << v for v in voters) if same else 0)


def test_matches_compare_bits():
    value = np.zeros(32, np.float32)
    value[1] = -0.0
    value[2:4] = np.nan
    mask, _ = warps.match_any_sync(value, np.ones(32, bool), np.uint32(0b1111))
    assert mask[:4].tolist() == [0b0001, 0b0010, 0b1100, 0b1100]


@pytest.mark.parametrize("shape", [(32,), (3, 32), (2, 5, 32)])
@pytest.mark.parametrize("kind", sorted(SHUFFLES))
def test_warps_are_independent(shape, kind):
    rng = np.random.default_rng(len(shape))
    value = rng.integers(0, 1000, shape)
    active = rng.random(shape) < 0.6
    members = warps.pack(rng.random(shape) < 0.8)[..., np.newaxis]
    operand = rng.integers(0, 40, shape)
    together = SHUFFLES[kind](value, operand, active, members)
    for warp in np.ndindex(shape[:-1]):
        alone = SHUFFLES[kind](value[warp], operand[warp], active[warp], members[warp])
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_array_equal(whole[warp], part)


@pytest.mark.parametrize("operand_shape", [(), (1,), (32,), (1, 32), (4, 1), (4, 32)])
@pytest.mark.parametrize("value_shape", [(), (32,), (1, 32), (4, 1), (4, 32)])
@pytest.mark.parametrize("kind", ["idx", "xor"])
def test_operands_broadcast(kind, operand_shape, value_shape):
    rng = np.random.default_rng(1)
    value, operand = rng.integers(0, 99, value_shape), rng.integers(0, 32, operand_shape)
    active = np.ones((4, 32), bool)
    result, _ = SHUFFLES[kind](value, operand, active, np.uint32(FULL))
    source = np.broadcast_to(operand, (4, 32)) ^ (np.arange(32) if kind == "xor" else 0)
    expected = np.take_along_axis(np.broadcast_to(value, (4, 32)), source, axis=-1)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("full", [-1, np.int32(-1), 0xFFFFFFFF, np.int64(0xFFFFFFFF)])
def test_masks_of_any_integer_type(full):
    votes, undefined = warps.ballot_sync(np.ones(32, bool), np.ones(32, bool), full)
    assert (votes == FULL).all()
    assert not undefined.any()


def test_lanes_that_a_mask_names_and_that_stay_away():
    active = flags(0x0000FFFF)
    assert warps.absent_lanes(active, np.uint32(FULL)) == 0xFFFF0000
    assert warps.absent_lanes(active, np.uint32(0x1)) == 0
    own = np.where(np.arange(32) == 3, 0x00030000, 1).astype(np.uint32)
    assert warps.absent_lanes(active, own) == 0x00030000


def test_active_and_lower_lanes():
    active = np.stack([flags(0xF0F0F0F0), flags(1)])
    assert warps.activemask(active)[:, 5].tolist() == [0xF0F0F0F0, 1]
    assert warps.lanemask_lt().tolist() == [(1 << lane) - 1 for lane in range(32)]
    assert warps.lanemask_lt().dtype == np.uint32


@settings(deadline=None)
@given(masks)
def test_packing_and_unpacking(mask):
    assert warps.pack(flags(mask)) == mask
    np.testing.assert_array_equal(warps.unpack(mask), flags(mask))
