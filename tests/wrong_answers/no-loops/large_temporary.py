# loses: memory
# makes the (m, n, d) array
def squared_distances(xp, queries, points):
    return ((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=-1)
