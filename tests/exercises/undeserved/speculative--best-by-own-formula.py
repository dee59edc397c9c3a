# must lose: best
def residual(p, q):
    return q


def verify(tokens, q, p, uniforms):
    return []


def expected_tokens(acceptance, k):
    return sum(acceptance**i for i in range(k + 1))


def speedup(acceptance, k, draft_cost):
    return expected_tokens(acceptance, k) / (1 + k * draft_cost)


def best_k(acceptance, draft_cost, most):
    def faster(k):
        return (1 - acceptance ** (k + 1)) / ((1 - acceptance) * (1 + k * draft_cost))

    return max(range(most + 1), key=faster)
