# must lose: vote
def squared_distances(xp, queries, points):
    q2 = (queries**2).sum(axis=1)
    p2 = (points**2).sum(axis=1)
    return q2[:, None] + p2 - 2 * (queries @ points.T)


def vote(xp, distances, labels, k, classes):
    n = distances.shape[1]
    nearest = xp.argsort(distances + xp.arange(n) * 1e-12, axis=1)[:, :k]
    votes = labels[nearest][:, :, None] == xp.arange(classes)
    return votes.sum(axis=1).argmax(axis=1)
