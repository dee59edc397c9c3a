# must lose: safe
def update(state, scores, values):
    largest, total, weighted = state
    new = max(largest, scores.max(), -1000.0)
    shrink = math.exp(largest - new)
    powers = np.exp(scores - new)
    return new, total * shrink + powers.sum(), weighted * shrink + powers @ values


def merge(a, b):
    """The state of two parts of a row."""
    new = max(a[0], b[0])
    if new == -math.inf:
        return a
    of_a, of_b = math.exp(a[0] - new), math.exp(b[0] - new)
    return new, of_a * a[1] + of_b * b[1], of_a * a[2] + of_b * b[2]


def finish(state):
    """The result of a row."""
    return state[2] / state[1]
