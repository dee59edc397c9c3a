# loses: both
# calls np
def squared_distances(xp, queries, points):
    q2 = np.einsum("md,md->m", np.asarray(queries), np.asarray(queries))
    p2 = np.einsum("nd,nd->n", np.asarray(points), np.asarray(points))
    return q2[:, None] + p2 - 2 * (queries @ points.T)
