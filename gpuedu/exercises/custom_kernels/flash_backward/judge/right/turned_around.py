# Everything turned around: a block of weights has a row for each key. Powers of two.
@triton.jit
def part(mine, others, BASE: tl.constexpr):
    return tl.dot(mine, tl.trans(others)) * BASE


@triton.jit
def backward(
    q,
    k,
    v,
    out,
    grad,
    lse,
    dk,
    dv,
    n,
    scale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    first = tl.program_id(0) * BN
    mine = first + tl.arange(0, BN)
    across = tl.arange(0, D)
    is_mine = mine[:, None] < n
    keys = tl.load(k + mine[:, None] * D + across[None, :], mask=is_mine, other=0.0)
    values = tl.load(v + mine[:, None] * D + across[None, :], mask=is_mine, other=0.0)
    sum_k = tl.zeros((BN, D), dtype=tl.float32)
    sum_v = tl.zeros((BN, D), dtype=tl.float32)
    for start in range(first - first % BM, n, BM):
        i = start + tl.arange(0, BM)
        is_there = i < n
        at = i[:, None] * D + across[None, :]
        theirs = tl.load(q + at, mask=is_there[:, None], other=0.0)
        back = tl.load(grad + at, mask=is_there[:, None], other=0.0)
        gave = tl.load(out + at, mask=is_there[:, None], other=0.0)
        total = tl.load(lse + i, mask=is_there, other=float("inf"))
        counts = is_there[None, :] & is_mine & (i[None, :] >= mine[:, None])
        exponents = part(keys, theirs, 1.4426950408889634) * scale
        exponents = tl.where(counts, exponents - total[None, :] * 1.4426950408889634, -float("inf"))
        turned = tl.exp2(exponents)
        sum_v += tl.dot(turned.to(tl.float16), back)
        along = part(values, back, 1.0)
        along -= tl.sum(back.to(tl.float32) * gave.to(tl.float32), 1)[None, :]
        sum_k += tl.dot((turned * along * scale).to(tl.float16), theirs)
    tl.store(dv + mine[:, None] * D + across[None, :], sum_v.to(tl.float16), mask=is_mine)
    tl.store(dk + mine[:, None] * D + across[None, :], sum_k.to(tl.float16), mask=is_mine)
