# loses: predicts
# the squares of seconds: the largest tensors count for all
def fit_ring(ranks, sizes_bytes, times_s):
    steps = 2 * (ranks - 1)
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept / steps, steps / ranks / slope
