# loses: loops
# a row at a time
def squared_distances(xp, queries, points):
    out = xp.empty((len(queries), len(points)), queries.dtype)
    for i in range(len(queries)):
        out[i] = ((points - queries[i]) ** 2).sum(axis=1)
    return out
