# loses: predicts
def fit_ring(ranks, sizes_bytes, times_s):
    steps, half = 2 * (ranks - 1), len(times_s) // 2
    low, high = sizes_bytes[:half].mean() / ranks, sizes_bytes[half:].mean() / ranks
    beta_s = (times_s[half:].mean() - times_s[:half].mean()) / steps / (high - low)
    return times_s[:half].mean() / steps - beta_s * low, 1 / beta_s
