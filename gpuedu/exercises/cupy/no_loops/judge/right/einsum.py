# Sums of squares by einsum; votes by adding up rows of a unit matrix.
def squared_distances(xp, queries, points):
    q2 = xp.einsum("md,md->m", queries, queries)
    p2 = xp.einsum("nd,nd->n", points, points)
    squares = q2[:, None] + p2[None, :]
    squares -= 2 * xp.matmul(queries, points.T)
    return xp.maximum(squares, 0)


def vote(xp, distances, labels, k, classes):
    nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]
    return xp.argmax(xp.eye(classes)[labels[nearest]].sum(axis=1), axis=1)
