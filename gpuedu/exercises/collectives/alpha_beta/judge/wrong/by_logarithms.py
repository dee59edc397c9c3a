# loses: predicts
# asks: An error is to be a share of the time that was measured. What is yours a share of?
def fit_ring(ranks, sizes_bytes, times_s):
    steps, chunks = 2 * (ranks - 1), sizes_bytes / ranks
    alpha, beta = times_s[0] / steps, times_s[-1] / steps / chunks[-1]
    for _ in range(100):
        model = steps * (alpha + beta * chunks)
        slopes = np.stack([steps / model, steps * chunks / model], axis=1)
        change = np.linalg.lstsq(slopes, np.log(times_s / model), rcond=None)[0]
        alpha, beta = alpha + change[0], beta + change[1]
    return alpha, 1 / beta
