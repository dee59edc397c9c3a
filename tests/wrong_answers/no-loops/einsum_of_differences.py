# loses: memory
# the square in one go, the differences all the same
def squared_distances(xp, queries, points):
    differences = queries[:, None] - points
    return xp.einsum("mnd,mnd->mn", differences, differences)
