# must lose: safe
@triton.jit
def step(largest, total, weighted, scores, values):
    """The state of all queries after one more block of keys."""
    new = tl.maximum(largest, tl.max(scores, axis=1))
    shrink = tl.exp(largest - new)
    powers = tl.exp(scores - new[:, None])
    total = total * shrink + tl.sum(powers, axis=1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(values.dtype), values)
    return new, total, weighted


@triton.jit
def attention(
    q, k, v, o, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    place = rows[:, None] * D + columns[None, :]
    queries = tl.load(q + place, mask=rows[:, None] < n, other=0.0)
    largest, total = tl.full((BM,), -100.0, tl.float32), tl.zeros((BM,), tl.float32)
    weighted = tl.zeros((BM, D), tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * BM)
    for start in range(0, end, BN):
        at = start + tl.arange(0, BN)
        block = at[:, None] * D + columns[None, :]
        keys = tl.load(k + block, mask=at[:, None] < n, other=0.0)
        values = tl.load(v + block, mask=at[:, None] < n, other=0.0)
        counts = at[None, :] < n
        if CAUSAL:
            counts = counts & (at[None, :] <= rows[:, None])
        scores = tl.where(counts, tl.dot(queries, tl.trans(keys)) * scale, -float("inf"))
        largest, total, weighted = step(largest, total, weighted, scores, values)
    tl.store(o + place, weighted / total[:, None], mask=rows[:, None] < n)
