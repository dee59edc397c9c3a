# loses: predicts
def fit_ring(ranks, sizes_bytes, times_s):
    steps, chunks = 2 * (ranks - 1), sizes_bytes / ranks
    beta_s = (times_s[-1] - times_s[0]) / steps / (chunks[-1] - chunks[0])
    return times_s[0] / steps - beta_s * chunks[0], 1 / beta_s
