# The nearest is taken out of a copy, k times.
def vote(xp, distances, labels, k, classes):
    left = distances.copy()
    rows = xp.arange(len(left))
    votes = xp.zeros((len(left), classes), xp.int64)
    for _ in range(k):
        nearest = left.argmin(axis=1)
        votes[rows, labels[nearest]] += 1
        left[rows, nearest] = xp.inf
    return votes.argmax(axis=1)
