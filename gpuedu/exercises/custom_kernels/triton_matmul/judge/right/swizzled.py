# Triton's own function for the order; rows and columns beyond the edge wrap around.
@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    program = tl.program_id(axis=0)
    high, wide = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    row, column = tl.swizzle2d(program // wide, program % wide, high, wide, GROUP)
    i = row * BLOCK_M + tl.arange(0, BLOCK_M)
    j = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    of_a = a + (i % M)[:, None] * K + k[None, :]
    of_b = b + k[:, None] * N + (j % N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for turn in range(tl.cdiv(K, BLOCK_K)):
        left = K - turn * BLOCK_K
        tile_a = tl.load(of_a, mask=k[None, :] < left, other=0.0)
        tile_b = tl.load(of_b, mask=k[:, None] < left, other=0.0)
        total += tl.dot(tile_a, tile_b)
        of_a += BLOCK_K
        of_b += BLOCK_K * N
    is_there = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16), mask=is_there)
