def update(state, scores, values):
    largest = scores.max()
    if largest == -math.inf:
        return state
    powers = np.exp(scores - largest)
    return merge(state, (largest, powers.sum(), (powers[:, None] * values).sum(axis=0)))


def merge(a, b):
    if a[0] < b[0]:
        a, b = b, a
    if b[1] == 0:
        return a
    factor = math.exp(b[0] - a[0])
    return a[0], a[1] + factor * b[1], a[2] + factor * b[2]
