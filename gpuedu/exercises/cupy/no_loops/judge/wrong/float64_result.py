# loses: distances
# asks: Which array of yours has another dtype? `xp.zeros` makes float64 unless it is told.
def squared_distances(xp, queries, points):
    out = xp.zeros((len(queries), len(points)))
    for j in range(queries.shape[1]):
        out += (queries[:, j, None] - points[None, :, j]) ** 2
    return out
