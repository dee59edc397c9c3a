# loses: distances
# asks: (q - p)**2 is q**2 - 2 q p + p**2: is the 2 there?
def squared_distances(xp, queries, points):
    q2 = (queries**2).sum(axis=1)[:, None]
    p2 = (points**2).sum(axis=1)[None, :]
    return q2 + p2 - queries @ points.T
