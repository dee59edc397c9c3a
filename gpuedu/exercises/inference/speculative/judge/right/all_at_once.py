# All comparisons at once, sums in closed form.
def residual(p, q):
    shared = np.minimum(p, q)
    return (p - shared) / (1 - shared.sum())


def verify(tokens, q, p, uniforms):
    k = len(tokens)
    places = np.arange(k)
    rejected = np.flatnonzero(uniforms[:k] * q[places, tokens] >= p[places, tokens])
    count = int(rejected[0]) if rejected.size else k
    last = p[k] if count == k else residual(p[count], q[count])
    return [*tokens[:count], pick(last, uniforms[k])]


def expected_tokens(acceptance, k):
    if acceptance == 1:
        return k + 1
    return (1 - acceptance ** (k + 1)) / (1 - acceptance)


def speedup(acceptance, k, draft_cost):
    return expected_tokens(acceptance, k) / (k * draft_cost + 1)


def best_k(acceptance, draft_cost, most):
    speeds = [speedup(acceptance, k, draft_cost) for k in range(most + 1)]
    return int(np.argmax(speeds))
