from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.arrays.errors import OutOfMemoryError
from gpuedu.arrays.pool import DEVICE_BYTES, Blocks, rounded


def give_back(blocks, *given_back):
    blocks.returned.extend(given_back)
    blocks.settle()


def test_sizes_are_rounded_to_512():
    blocks = Blocks()
    assert [blocks.take(size).size_bytes for size in (1, 512, 513, 4000)] == [512, 512, 1024, 4096]
    assert blocks.used_bytes == blocks.total_bytes == 6144


def test_a_freed_block_stays_and_is_used_again():
    blocks = Blocks()
    give_back(blocks, blocks.take(2048))
    assert (blocks.used_bytes, blocks.total_bytes, len(blocks.free)) == (0, 2048, 1)
    blocks.take(2000)
    assert (blocks.used_bytes, blocks.total_bytes, len(blocks.free)) == (2048, 2048, 0)


def test_the_smallest_block_that_fits_is_split():
    blocks = Blocks()
    small, big = blocks.take(4096), blocks.take(8192)
    give_back(blocks, small, big)
    part = blocks.take(1024)
    assert [block.size_bytes for block in blocks.free] == [3072, 8192]
    assert part is small and blocks.total_bytes == 12288


def test_parts_grow_together_and_only_whole_blocks_are_released():
    blocks = Blocks()
    give_back(blocks, blocks.take(4096))
    first, second, third = blocks.take(1024), blocks.take(1024), blocks.take(2048)
    give_back(blocks, first, third)
    blocks.release()
    assert (blocks.total_bytes, len(blocks.free)) == (4096, 2)
    give_back(blocks, second)
    assert [block.size_bytes for block in blocks.free] == [4096]
    blocks.release()
    assert (blocks.total_bytes, blocks.free) == (0, [])


def test_the_limit_counts_what_is_kept():
    blocks = Blocks()
    blocks.set_limit(4096, None)
    give_back(blocks, blocks.take(3072))
    with pytest.raises(OutOfMemoryError, match=r"allocating 4,096 bytes .*3,072.*to: 4,096"):
        blocks.take(4096)
    blocks.release()
    assert blocks.take(4096).size_bytes == 4096


def test_the_device_ends_somewhere():
    blocks = Blocks()
    kept = blocks.take(DEVICE_BYTES // 2)
    give_back(blocks, kept)
    blocks.take(DEVICE_BYTES - 512)  # what is kept goes back to the device first
    with pytest.raises(OutOfMemoryError, match="Try: free"):
        blocks.take(1024)


@pytest.mark.parametrize(
    ("size", "fraction", "expected"),
    [(None, None, 0), (None, 0.5, DEVICE_BYTES // 2), (77, None, 77)],
)
def test_a_limit_is_a_size_or_a_part(size, fraction, expected):
    blocks = Blocks()
    blocks.set_limit(size, fraction)
    assert blocks.limit_bytes == expected


@pytest.mark.parametrize(("size", "fraction"), [(-1, None), (None, 1.5), (None, -0.1), (1, 0.5)])
def test_limits_that_make_no_sense_are_refused(size, fraction):
    with pytest.raises(ValueError, match=r"out of range|one time"):
        Blocks().set_limit(size, fraction)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9000)), max_size=60))
def test_the_books_balance(steps):
    blocks, held = Blocks(), []
    for is_free, size in steps:
        if is_free and held:
            give_back(blocks, held.pop(size % len(held)))
        else:
            held.append(blocks.take(size))
        assert blocks.used_bytes == sum(block.size_bytes for block in held)
        kept = sum(block.size_bytes for block in blocks.free)
        assert blocks.total_bytes == blocks.used_bytes + kept
        assert all(not (b.after and b.after.is_free) for b in blocks.free)
        assert [b.size_bytes for b in blocks.free] == sorted(b.size_bytes for b in blocks.free)
    give_back(blocks, *held)
    blocks.release()
    assert blocks.total_bytes == 0


@given(st.integers(1, 10**12))
def test_rounding_is_up_by_less_than_a_unit(size):
    assert rounded(size) % 512 == 0 and 0 <= rounded(size) - size < 512
