# must lose: both, loops, memory
def squared_distances(xp, queries, points):
    return xp.zeros((len(queries), len(points)), queries.dtype)
def vote(xp, distances, labels, k, classes):
    return xp.zeros(len(distances), labels.dtype)
