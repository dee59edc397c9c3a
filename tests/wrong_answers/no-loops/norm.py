# loses: distances
# the distances, not their squares
def squared_distances(xp, queries, points):
    q2 = (queries**2).sum(axis=1)
    p2 = (points**2).sum(axis=1)
    squares = q2[:, None] + p2 - 2 * (queries @ points.T)
    return xp.sqrt(xp.maximum(squares, 0))
