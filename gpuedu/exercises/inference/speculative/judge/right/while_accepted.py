# A loop that walks on while guesses are accepted, and a search that stops where it gets slower.
def residual(p, q):
    missing = (p - q) * (p > q)
    return missing / np.sum(missing)


def verify(tokens, q, p, uniforms):
    kept = 0
    while kept < len(tokens):
        token = tokens[kept]
        if uniforms[kept] >= min(1.0, p[kept][token] / q[kept][token]):
            break
        kept += 1
    missing = p[kept] if kept == len(tokens) else residual(p[kept], q[kept])
    return list(tokens[:kept]) + [pick(missing, uniforms[len(tokens)])]


def expected_tokens(acceptance, k):
    tokens, chance = 0.0, 1.0
    for _ in range(k + 1):
        tokens += chance
        chance *= acceptance
    return tokens


def speedup(acceptance, k, draft_cost):
    alone = expected_tokens(acceptance, k)
    return alone / (1 + draft_cost * k)


def best_k(acceptance, draft_cost, most):
    k = 0
    while k < most and speedup(acceptance, k + 1, draft_cost) > speedup(acceptance, k, draft_cost):
        k += 1
    return k
