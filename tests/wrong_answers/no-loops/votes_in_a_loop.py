# loses: loops
# counts each query's labels by itself
def vote(xp, distances, labels, k, classes):
    out = xp.empty(len(distances), xp.int64)
    for i in range(len(distances)):
        nearest = xp.argsort(distances[i], kind="stable")[:k]
        out[i] = xp.bincount(labels[nearest], minlength=classes).argmax()
    return out
