# loses: vote
# asks: That is the mean of the labels. Which label occurs most often?
def vote(xp, distances, labels, k, classes):
    nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]
    return xp.rint(labels[nearest].mean(axis=1)).astype(xp.int64)
