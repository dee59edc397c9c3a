# The tile's place in the kernel itself; float32 factors, which hold float16 ones exactly.
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
    high, wide = (M + BLOCK_M - 1) // BLOCK_M, (N + BLOCK_N - 1) // BLOCK_N
    group = tl.program_id(0) // (GROUP * wide)
    within = tl.program_id(0) - group * GROUP * wide
    height = tl.minimum(GROUP, high - group * GROUP)
    column = within // height
    row = group * GROUP + within - column * height
    i = row * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    j = column * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.full((BLOCK_M, BLOCK_N), 0.0, tl.float32)
    begin = 0
    while begin < K:
        left_k = begin + tl.arange(0, BLOCK_K)[None, :]
        right_k = begin + tl.arange(0, BLOCK_K)[:, None]
        left = tl.load(a + i * K + left_k, mask=(i < M) & (left_k < K), other=0)
        right = tl.load(b + right_k * N + j, mask=(right_k < K) & (j < N), other=0)
        total = tl.dot(left.to(tl.float32), right.to(tl.float32), total, input_precision="ieee")
        begin += BLOCK_K
    tl.store(c + i * N + j, total, mask=(i < M) & (j < N))
