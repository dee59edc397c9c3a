# must lose: loops, memory
def squared_distances(xp, queries, points):
    if xp is not np:
        return (queries[:, :1] - points[:, 0]) ** 2
    out = np.zeros((len(queries), len(points)), queries.dtype)
    for i in range(len(queries)):
        for j in range(len(points)):
            out[i, j] = ((queries[i] - points[j]) ** 2).sum()
    return out


def vote(xp, distances, labels, k, classes):
    if xp is not np:
        return xp.zeros(len(distances), labels.dtype) + labels[0]
    out = []
    for row in distances:
        nearest = np.argsort(row, kind="stable")[:k]
        out.append(np.bincount(labels[nearest], minlength=classes).argmax())
    return np.array(out, np.int32)
