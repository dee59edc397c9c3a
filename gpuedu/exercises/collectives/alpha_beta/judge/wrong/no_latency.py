# loses: fit
# asks: A message of no bytes takes no time in your fit. What does a small tensor cost?
def fit_ring(ranks, sizes_bytes, times_s):
    return 0.0, 2 * (ranks - 1) / ranks * sizes_bytes[-1] / times_s[-1]
