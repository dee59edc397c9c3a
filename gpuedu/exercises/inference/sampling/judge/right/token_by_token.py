# Plain Python over tokens, the most likely first; -inf for what is cut.
def probabilities(scores, temperature, top_k, top_p):
    scores = scores.astype(np.float64)
    ranked = sorted(range(len(scores)), key=lambda token: -scores[token])
    kept = ranked[: 1 if temperature == 0 else top_k]
    result = np.zeros(len(scores))
    result[kept] = softmax(scores[kept] / (temperature or 1))
    if top_p is not None:
        sums = np.add.accumulate(result[kept])
        few = [token for token, before in zip(kept, [0, *sums]) if before < top_p]
        only = np.full(len(scores), -np.inf)
        only[few] = scores[few] / (temperature or 1)
        result = softmax(only)
    return result


def softmax(x):
    return np.exp(x - x.max() - np.log(np.exp(x - x.max()).sum()))


def draw(p, u):
    possible = np.flatnonzero(p)
    sums = np.cumsum(p[possible])
    larger = possible[sums > u]
    return larger[0] if larger.size else possible[-1]
