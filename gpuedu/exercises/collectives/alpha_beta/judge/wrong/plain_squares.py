# loses: predicts
# asks: The smallest tensor took 50.6 µs. Which errors does your fit make small: those in
#   seconds, in which the largest tensors count for all, or those as shares of the times?
def fit_ring(ranks, sizes_bytes, times_s):
    steps = 2 * (ranks - 1)
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept / steps, steps / ranks / slope
