# loses: distances
# q p once
def squared_distances(xp, queries, points):
    q2 = (queries**2).sum(axis=1)[:, None]
    p2 = (points**2).sum(axis=1)[None, :]
    return q2 + p2 - queries @ points.T
