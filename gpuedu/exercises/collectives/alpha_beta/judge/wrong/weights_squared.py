# loses: predicts
# asks: Alpha is right, and the rate is not: do the small tensors count for more than the large
#   ones? An error as a share of its time is divided by that time *once*. (The weights of
#   `np.polyfit` come before the square.)
def fit_ring(ranks, sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1, w=1 / times_s**2)
    return intercept / (2 * (ranks - 1)), 2 * (ranks - 1) / ranks / slope
