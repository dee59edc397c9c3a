# loses: fit
# asks: Your second number is seconds a byte. Bytes a second are asked for.
def fit_ring(ranks, sizes_bytes, times_s):
    steps = 2 * (ranks - 1)
    rows = np.stack([np.full(len(sizes_bytes), steps), steps / ranks * sizes_bytes], axis=1)
    alpha_s, beta_s = np.linalg.lstsq(rows / times_s[:, None], np.ones(len(rows)))[0]
    return alpha_s, beta_s
