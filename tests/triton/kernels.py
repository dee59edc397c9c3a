"""Kernels in Triton that tests run; each is as it would be for a GPU."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def softmax(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * x_stride + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * out_stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def layer_norm(x, out, weight, bias, stride, columns, eps, BLOCK: tl.constexpr):
    """Rows longer than a block: three passes."""
    x += tl.program_id(0) * stride
    out += tl.program_id(0) * stride
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
        off = tl.where(at < columns, values - mean, 0.0)
        squares += off * off
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < columns
        values = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        w, b = tl.load(weight + at, mask=mask), tl.load(bias + at, mask=mask)
        tl.store(out + at, (values - mean) * scale * w + b, mask=mask)


@triton.jit
def tile_of(number, rows, columns, GROUP: tl.constexpr):
    """Rows of tiles in groups, so that tiles of B are used again while they are in the cache."""
    group = number // (GROUP * columns)
    height = min(rows - group * GROUP, GROUP)
    place = number % (GROUP * columns)
    return group * GROUP + place % height, place // height


@triton.jit
def matmul(
    a,
    b,
    c,
    m,
    n,
    k,
    a_stride,
    b_stride,
    c_stride,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    GROUP: tl.constexpr,
    PRECISION: tl.constexpr,
):
    row, column = tile_of(tl.program_id(0), tl.cdiv(m, M), tl.cdiv(n, N), GROUP)
    i, j = row * M + tl.arange(0, M), column * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        p = start + tl.arange(0, K)
        at_a = a + i[:, None] * a_stride + p[None, :]
        at_b = b + p[:, None] * b_stride + j[None, :]
        left = tl.load(at_a, mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        right = tl.load(at_b, mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION)
    mask = (i[:, None] < m) & (j[None, :] < n)
    tl.store(c + i[:, None] * c_stride + j[None, :], total.to(c.dtype.element_ty), mask=mask)


@triton.jit
def attention(q, k, v, out, n, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr):
    """One head, causal, a block of queries for each program."""
    i, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    largest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    weights = tl.zeros((ROWS,), dtype=tl.float32)
    total = tl.zeros((ROWS, D), dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * ROWS, KEYS):
        j = start + tl.arange(0, KEYS)
        keys = tl.load(k + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(i[:, None] >= j[None, :], scores, -float("inf"))
        higher = tl.maximum(largest, tl.max(scores, axis=1))
        powers = tl.exp(scores - higher[:, None])
        factor = tl.exp(largest - higher)
        values = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        total = tl.dot(powers, values, total * factor[:, None], input_precision="ieee")
        weights, largest = weights * factor + tl.sum(powers, axis=1), higher
    tl.store(out + i[:, None] * D + d[None, :], total / weights[:, None], mask=i[:, None] < n)


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


@triton.jit
def sum_behind_a_lock(x, out, lock, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * BLOCK + at)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + at, tl.load(out + at) + values)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    values = tl.load(x + at, mask=mask)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, values / (1 - p), 0.0), mask=mask)


@triton.jit
def transpose(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(x + i[:, None] * columns + j[None, :], mask=mask)
    tl.store(out + j[None, :] * rows + i[:, None], tile, mask=mask)


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))


@triton.jit
def convolve(x, weights, out, height, width, M: tl.constexpr, N: tl.constexpr):
    """One picture for each program, its window of (M, N) moved over all of its places."""
    picture = tl.program_id(0)
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    kernel = tl.load(weights + i * N + j)
    for row in range(height):
        for column in range(width):
            inside = (row + i < height) & (column + j < width)
            at = (picture * height + row + i) * width + column + j
            window = tl.load(x + at, mask=inside, other=0.0)
            total = tl.sum(tl.sum(window * kernel, axis=1), axis=0)
            tl.store(out + (picture * height + row) * width + column, total)


@triton.jit
def batched_product(a, b, c, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """One matrix of a batch for each place along the third axis of the grid."""
    first = tl.program_id(2) * SIZE * SIZE
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))[None, :, None]
    j = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK))[None, None, :]
    total = tl.zeros((1, BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, SIZE, BLOCK):
        k = start + tl.arange(0, BLOCK)
        left = tl.load(a + first + i * SIZE + k[None, None, :])
        right = tl.load(b + first + k[None, :, None] * SIZE + j)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + first + i * SIZE + j, total)


@triton.jit
def product_of_four_bits(
    codes, zeros, scales, x, out, columns, ROWS: tl.constexpr, K: tl.constexpr, N: tl.constexpr
):
    """Weights of 4 bits, eight in a number, with a scale and a zero point for each eight."""
    i, j = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, N)
    total = tl.zeros((ROWS, N), dtype=tl.float32)
    for start in range(0, columns, K):
        group = start // 8 + tl.arange(0, K // 8)
        at = i[:, None] * (columns // 8) + group[None, :]
        packed, scale, zero = tl.load(codes + at), tl.load(scales + at), tl.load(zeros + at)
        code = (packed[:, :, None] >> (4 * tl.arange(0, 8))[None, None, :]) & 15
        weights = scale[:, :, None] * (code - zero[:, :, None]).to(tl.float32)
        k = start + tl.arange(0, K)
        block = tl.load(x + k[:, None] * N + j[None, :])
        total += tl.dot(tl.reshape(weights, (ROWS, K)), block, input_precision="ieee")
    tl.store(out + i[:, None] * N + j[None, :], total)
