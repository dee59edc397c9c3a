"""Kernels in Triton with one fault each; the comment at a fault's line is the kind that should be found."""

import triton
import triton.language as tl


@triton.jit
def load_without_mask(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at)  # out-of-bounds
    tl.store(out + at, values, mask=at < n)


@triton.jit
def store_without_mask(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, values)  # out-of-bounds


@triton.jit
def mask_one_too_many(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at <= n)  # out-of-bounds
    tl.store(out + at, values, mask=at < n)


@triton.jit
def begins_before_the_array(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at - 1, mask=at < n)  # out-of-bounds
    tl.store(out + at, values, mask=at < n)


@triton.jit
def one_block_too_far(x, out, n, BLOCK: tl.constexpr):
    at = (tl.program_id(0) + 1) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at)  # out-of-bounds
    tl.store(out + at, values, mask=at < n)


@triton.jit
def rows_in_place_of_columns(x, out, rows, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * rows + at, mask=at < columns)
    tl.store(out + at * columns + row, values, mask=at < columns)  # out-of-bounds


@triton.jit
def every_program_the_same_block(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, values, mask=at < n)  # data-race


@triton.jit
def blocks_that_overlap(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, values, mask=at < n)  # data-race


@triton.jit
def sum_without_atomic(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + at, mask=at < n, other=0.0), axis=0)
    tl.store(out, tl.load(out) + total)  # data-race


@triton.jit
def in_place_beside_a_neighbor(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    after = tl.load(x + at + 1, mask=at + 1 < n, other=0.0)
    tl.store(x + at, after, mask=at < n)  # data-race


@triton.jit
def reads_what_others_wrote(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)
    first = tl.load(out)  # data-race
    tl.store(x + at, first + at, mask=at < n)


@triton.jit
def plain_load_of_a_counter(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, 1.0)  # data-race
    seen = tl.load(out)
    tl.store(x + at, seen + at, mask=at < n)


@triton.jit
def two_values_for_one_element(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at // 2, values, mask=at < n)  # data-race


@triton.jit
def histogram_without_atomic(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    place = at % 8
    tl.store(out + place, tl.load(out + place) + at)  # data-race


@triton.jit
def released_too_early(x, out, lock, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * BLOCK + at)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    before = tl.load(out + at)  # data-race
    tl.atomic_xchg(lock, 0)
    tl.store(out + at, before + values)  # data-race


@triton.jit
def block_of_no_power_of_two(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 100)  # failed
    tl.store(out + at, tl.load(x + at))


@triton.jit
def shapes_that_do_not_fit(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at) + tl.zeros((BLOCK // 2,), dtype=tl.float32)  # failed
    tl.store(out + at, values)


@triton.jit
def a_name_that_is_not_there(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * factor)  # noqa: F821  # failed


@triton.jit
def a_python_index(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = x[at]  # failed
    tl.store(out + at, value)


@triton.jit
def product_of_other_sizes(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * 16 + i[None, :])
    b = tl.zeros((32, 16), dtype=tl.float32)
    c = tl.dot(a, b)  # failed
    tl.store(out + i[:, None] * 16 + i[None, :], c)


@triton.jit
def assertion_that_fails(x, out, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 64, "a block of 64")  # failed
    tl.store(out, 0.0)


@triton.jit
def float32_by_tf32(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    a = tl.load(x + at)
    c = tl.dot(a, a)  # tf32
    tl.store(out + at, c)


@triton.jit
def load_what_is_masked_off(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)  # uninitialised-read
    tl.store(out, tl.sum(values, axis=0))


@triton.jit
def maximum_of_what_is_masked_off(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)  # uninitialised-read
    tl.store(out + at, values - tl.max(values, axis=0), mask=at < n)


@triton.jit
def product_over_a_ragged_end(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * n + i[None, :], mask=(i < n)[None, :])  # uninitialised-read
    b = tl.load(x + i[:, None] * 16 + i[None, :], mask=(i < n)[:, None], other=0.0)
    c = tl.dot(a, b, input_precision="ieee")
    tl.store(out + i[:, None] * 16 + i[None, :], c)


@triton.jit
def running_sum_over_a_ragged_end(x, out, n, BLOCK: tl.constexpr):
    at = BLOCK - 1 - tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)  # uninitialised-read
    tl.store(out + at, tl.cumsum(values, axis=0), mask=at < n)


@triton.jit
def decides_by_what_is_masked_off(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)  # uninitialised-read
    if tl.max(values, axis=0) > 0:
        tl.store(out + at, 1.0)


@triton.jit
def the_first_of_two_loads(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + at, mask=at < n), axis=0)  # uninitialised-read
    after = tl.load(x + at, mask=at < n)
    tl.store(out + at, total * after, mask=at < n)


@triton.jit
def gathers_by_a_bad_index(x, out, index, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.load(index + at, mask=at < n, other=0)
    values = tl.load(x + place, mask=at < n)  # out-of-bounds
    tl.store(out + at, values, mask=at < n)


@triton.jit
def mask_of_the_other_axis(x, out, rows, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=row < rows)  # out-of-bounds
    tl.store(out + row * columns + at, values, mask=at < columns)


@triton.jit
def atomic_past_the_end(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at, tl.load(x + at, mask=at < n, other=0.0))  # out-of-bounds


@triton.jit
def parts_of_a_sum_without_atomic(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    first = tl.program_id(0) * BLOCK
    part = tl.load(x + first + at, mask=first + at < n, other=0.0)
    before = tl.load(out + at)  # data-race
    tl.store(out + at, before + part)  # data-race


@triton.jit
def between_two_elements(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bytes_of = x.to(tl.pointer_type(tl.int8)) + 4 * at + 2
    values = tl.load(bytes_of.to(tl.pointer_type(tl.float32)), mask=at < n - 1)  # misaligned
    tl.store(out + at, values, mask=at < n - 1)


@triton.jit
def writes_then_reads(x, out, n, BLOCK: tl.constexpr):
    """Without a fault."""
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def rows_to_spare(x, out, rows, columns, BLOCK: tl.constexpr):
    """Without a fault: what is masked off goes into no row that is stored."""
    i, at = tl.program_id(0) * 4 + tl.arange(0, 4), tl.arange(0, BLOCK)
    mask = (i < rows)[:, None] & (at < columns)[None, :]
    values = tl.load(x + i[:, None] * columns + at[None, :], mask=(i < rows)[:, None])
    values = tl.where(mask, values, -float("inf"))
    shifted = tl.exp(values - tl.max(values, axis=1)[:, None])
    tl.store(out + i, tl.sum(shifted, axis=1), mask=i < rows)
