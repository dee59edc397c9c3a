# Ranks instead of sorted probabilities, and a loop that draws.
def probabilities(scores, temperature, top_k, top_p):
    if temperature == 0:
        return np.eye(scores.size)[scores.argmax()]
    scores = scores / temperature
    p = np.exp(scores.astype(float) - scores.max())
    ranks = np.empty(p.size, int)
    ranks[np.lexsort((np.arange(p.size), -scores))] = np.arange(p.size)
    keeps = np.full(p.size, True) if top_k is None else ranks < top_k
    p = np.where(keeps, p, 0) / p[keeps].sum()
    if top_p is None:
        return p
    by_rank = np.empty(p.size)
    by_rank[ranks] = p
    needed = 1 + np.searchsorted(np.cumsum(by_rank), top_p)
    p = np.where(ranks < needed, p, 0)
    return p / p.sum()


def draw(p, u):
    total, last = 0.0, None
    for token, share in enumerate(p):
        if share == 0:
            continue
        total, last = total + share, token
        if total > u:
            break
    return last
