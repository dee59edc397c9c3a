# loses: vote
# argsort as it comes
def vote(xp, distances, labels, k, classes):
    nearest = xp.argsort(distances, axis=1)[:, :k]
    votes = labels[nearest][:, :, None] == xp.arange(classes)
    return votes.sum(axis=1).argmax(axis=1)
