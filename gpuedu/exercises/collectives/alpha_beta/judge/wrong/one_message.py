# loses: fit
# asks: Your alpha is that of the whole all-reduce, 4 times one message's. How many messages
#   does a rank wait for, one after another?
def fit_ring(ranks, sizes_bytes, times_s):
    rows = np.stack([np.ones(len(sizes_bytes)), sizes_bytes], axis=1) / times_s[:, None]
    alpha_s, beta_s = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    return alpha_s, 1 / beta_s
