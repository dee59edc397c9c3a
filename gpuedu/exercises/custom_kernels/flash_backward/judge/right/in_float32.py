# All factors in float32, and the mask put onto the scores.
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
    columns = tl.arange(0, D)[None, :]
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    mine = j[:, None] * D + columns
    keys = tl.load(k + mine, mask=j[:, None] < n, other=0.0).to(tl.float32)
    values = tl.load(v + mine, mask=j[:, None] < n, other=0.0).to(tl.float32)
    of_keys = tl.zeros((BN, D), tl.float32)
    of_values = tl.zeros((BN, D), tl.float32)
    start = (tl.program_id(0) * BN // BM) * BM
    for block in range(start, n, BM):
        i = block + tl.arange(0, BM)
        there = i[:, None] * D + columns
        queries = tl.load(q + there, mask=i[:, None] < n, other=0.0).to(tl.float32)
        g = tl.load(grad + there, mask=i[:, None] < n, other=0.0).to(tl.float32)
        delta = tl.sum(g * tl.load(out + there, mask=i[:, None] < n, other=0.0), axis=1)
        scores = scale * tl.dot(queries, tl.trans(keys), input_precision="ieee")
        scores += tl.where(j[None, :] > i[:, None], -float("inf"), 0.0)
        weights = tl.exp(scores - tl.load(lse + i, mask=i < n, other=0.0)[:, None])
        of_values += tl.dot(tl.trans(weights), g, input_precision="ieee")
        slopes = weights * (tl.dot(g, tl.trans(values), input_precision="ieee") - delta[:, None])
        of_keys += tl.dot(tl.trans(slopes), queries, input_precision="ieee")
    tl.store(dk + mine, scale * of_keys, mask=j[:, None] < n)
    tl.store(dv + mine, of_values, mask=j[:, None] < n)
