# must lose: temperature
def probabilities(scores, temperature, top_k, top_p):
    order = np.argsort(-scores, kind="stable")
    if temperature == 0:
        temperature, top_k = 1, 1
    x = scores[order].astype(np.float64) / max(temperature, 0.2)
    p = np.exp(x - x[0])
    if top_k is not None:
        p[top_k:] = 0
    p /= p.sum()
    if top_p is not None:
        p[np.cumsum(p) - p >= top_p] = 0
        p /= p.sum()
    result = np.zeros_like(p)
    result[order] = p
    return result


def draw(p, u):
    """The token that u draws."""
    token = np.searchsorted(np.cumsum(p), u, side="right")
    return int(min(token, np.flatnonzero(p)[-1]))
