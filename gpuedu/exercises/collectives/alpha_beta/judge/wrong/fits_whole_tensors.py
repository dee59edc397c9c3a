# loses: fit
# asks: Alpha is right, the rate is 3 times what it should be. In each of the 2 (n - 1) steps, S
#   / n bytes pass.
def fit_ring(ranks, sizes_bytes, times_s):
    steps = 2 * (ranks - 1)
    rows = np.stack([np.full(len(sizes_bytes), steps), steps * sizes_bytes], axis=1)
    alpha_s, beta_s = np.linalg.lstsq(rows / times_s[:, None], np.ones(len(rows)))[0]
    return alpha_s, 1 / beta_s
