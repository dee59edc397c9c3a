# must lose: speedup
def residual(p, q):
    return q


def verify(tokens, q, p, uniforms):
    return []


def expected_tokens(acceptance, k):
    if acceptance == 1:
        return k + 1
    return (1 - acceptance ** (k + 1)) / (1 - acceptance)


def speedup(acceptance, k, draft_cost):
    return (1 - acceptance ** (k + 1)) / ((1 - acceptance) * (1 + k * draft_cost))


def best_k(acceptance, draft_cost, most):
    return max(range(most + 1), key=lambda k: speedup(acceptance, k, draft_cost))
