# must lose: right, merge
def update(state, scores, values):
    largest, total, weighted = state
    new = max(largest, scores.max())
    if new == -math.inf or scores.max() < largest - 8:
        return state
    shrink = math.exp(largest - new)
    powers = np.exp(scores - new)
    total = total * shrink + powers.sum()
    weighted = weighted * shrink + powers @ values
    return new, total, weighted


def merge(a, b):
    new = max(a[0], b[0])
    if new == -math.inf:
        return a
    of_a, of_b = math.exp(a[0] - new), math.exp(b[0] - new)
    if of_b < 0.02:
        return a
    if of_a < 0.02:
        return b
    return new, of_a * a[1] + of_b * b[1], of_a * a[2] + of_b * b[2]


def finish(state):
    """The result of a row."""
    return state[2] / state[1]
