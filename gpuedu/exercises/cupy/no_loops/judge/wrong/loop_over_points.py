# loses: loops
# asks: Which loop of yours runs over points? (`apply_along_axis` and `vectorize` are loops,
#   too.) Let an axis of an array do that.
def squared_distances(xp, queries, points):
    columns = [((queries - p) ** 2).sum(axis=1) for p in points]
    return xp.stack(columns, axis=1)
