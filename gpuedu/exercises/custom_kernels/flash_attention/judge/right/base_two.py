@triton.jit
def attention(
    q,
    k,
    v,
    o,
    n,
    scale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    across = tl.arange(0, D)
    place = rows[:, None] * D + across[None, :]
    mine = tl.load(q + place, mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.full((BM,), 0.0, tl.float32)
    sums = tl.zeros((BM, D), dtype=tl.float32)
    end = tl.minimum(first + BM, n) if CAUSAL else n
    for start in range(0, end, BN):
        keys = start + tl.arange(0, BN)
        turned = tl.load(k + keys[None, :] * D + across[:, None], mask=keys[None, :] < n, other=0.0)
        scores = tl.dot(mine, turned) * (scale * 1.4426950408889634)
        scores += tl.where(keys[None, :] < n, 0.0, -float("inf"))
        if CAUSAL:
            scores = tl.where(rows[:, None] >= keys[None, :], scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.exp2(scores - new[:, None])
        factor = tl.exp2(largest - new)
        seen = tl.load(v + keys[:, None] * D + across[None, :], mask=keys[:, None] < n, other=0.0)
        sums = tl.dot(powers.to(tl.float16), seen, sums * factor[:, None])
        total = total * factor + tl.sum(powers, 1)
        largest = new
    tl.store(o + place, (sums / total[:, None]).to(tl.float16), mask=rows[:, None] < n)
