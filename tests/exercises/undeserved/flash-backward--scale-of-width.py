# must lose: values, keys
@triton.jit
def contributions(queries, results, grads, sums, keys, values, counts, D: tl.constexpr):
    weights = tl.exp(tl.dot(queries, tl.trans(keys)) / D**0.5 - sums[:, None])
    weights = tl.where(counts, weights, 0.0)
    delta = tl.sum(grads.to(tl.float32) * results.to(tl.float32), axis=1)
    slopes = weights * (tl.dot(grads, tl.trans(values)) - delta[:, None])
    to_values = tl.dot(tl.trans(weights.to(tl.float16)), grads)
    return to_values, tl.dot(tl.trans(slopes.to(tl.float16)), queries) / D**0.5


@triton.jit
def backward(
    q, k, v, out, grad, lse, dk, dv, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    mine, columns = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    place = mine[:, None] * D + columns[None, :]
    keys = tl.load(k + place, mask=mine[:, None] < n, other=0.0)
    values = tl.load(v + place, mask=mine[:, None] < n, other=0.0)
    of_keys, of_values = tl.zeros((BN, D), tl.float32), tl.zeros((BN, D), tl.float32)
    for start in range(tl.program_id(0) * BN // BM * BM, n, BM):
        rows = start + tl.arange(0, BM)
        block, mask = rows[:, None] * D + columns[None, :], rows[:, None] < n
        queries = tl.load(q + block, mask=mask, other=0.0)
        results = tl.load(out + block, mask=mask, other=0.0)
        grads = tl.load(grad + block, mask=mask, other=0.0)
        sums = tl.load(lse + rows, mask=rows < n, other=0.0)
        counts = mine[None, :] <= rows[:, None]
        more = contributions(queries, results, grads, sums, keys, values, counts, D)
        of_values += more[0]
        of_keys += more[1]
    tl.store(dk + place, of_keys, mask=mine[:, None] < n)
    tl.store(dv + place, of_values, mask=mine[:, None] < n)
