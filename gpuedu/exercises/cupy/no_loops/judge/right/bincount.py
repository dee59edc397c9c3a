# Votes of all rows counted at once: each row has labels of its own.
def vote(xp, distances, labels, k, classes):
    rows = len(distances)
    nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]
    own = labels[nearest] + classes * xp.arange(rows)[:, None]
    return xp.bincount(own.ravel(), minlength=rows * classes).reshape(rows, classes).argmax(axis=1)
