# loses: memory
# asks: Which expression of yours makes an array of shape (m, n, d)? What do you get when you
#   multiply (q - p)**2 out, and sum each term over the features?
def squared_distances(xp, queries, points):
    differences = queries[:, None] - points
    return xp.einsum("mnd,mnd->mn", differences, differences)
