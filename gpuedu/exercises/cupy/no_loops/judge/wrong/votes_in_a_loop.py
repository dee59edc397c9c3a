# loses: loops
# asks: Which loop of yours runs over queries? (`apply_along_axis` and `vectorize` are loops,
#   too.) Let an axis of an array do that.
def vote(xp, distances, labels, k, classes):
    out = xp.empty(len(distances), xp.int64)
    for i in range(len(distances)):
        nearest = xp.argsort(distances[i], kind="stable")[:k]
        out[i] = xp.bincount(labels[nearest], minlength=classes).argmax()
    return out
