# loses: vote
# asks: Where two labels have equally many votes, the smaller wins.
def vote(xp, distances, labels, k, classes):
    nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = (labels[nearest][:, :, None] == xp.arange(classes)).sum(axis=1)
    return classes - 1 - votes[:, ::-1].argmax(axis=1)
