# loses: loops
# asks: Which loop of yours runs over queries? (`apply_along_axis` and `vectorize` are loops,
#   too.) Let an axis of an array do that.
def squared_distances(xp, queries, points):
    out = xp.empty((len(queries), len(points)), queries.dtype)
    for i in range(len(queries)):
        out[i] = ((points - queries[i]) ** 2).sum(axis=1)
    return out
