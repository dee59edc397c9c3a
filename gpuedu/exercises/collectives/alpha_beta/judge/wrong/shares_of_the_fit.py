# loses: predicts
# asks: An error is to be a share of the time that was measured. What is yours a share of?
def fit_ring(ranks, sizes_bytes, times_s):
    steps = 2 * (ranks - 1)
    columns = [np.full(len(sizes_bytes), steps), steps / ranks * sizes_bytes]
    table, fitted_s = np.stack(columns, axis=1), times_s
    for _ in range(20):
        alpha_s, beta_s = np.linalg.lstsq(table / fitted_s[:, None], times_s / fitted_s)[0]
        fitted_s = table @ [alpha_s, beta_s]
    return alpha_s, 1 / beta_s
