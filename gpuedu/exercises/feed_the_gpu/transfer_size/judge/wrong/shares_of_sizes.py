# loses: scattered
# asks: That divides each equation by its size. Errors as shares of the times come from dividing
#   by the times.
def fit(sizes_bytes, times_s):
    rows = np.stack([1 / sizes_bytes, np.ones(len(times_s))], axis=1)
    latency_s, slope = np.linalg.lstsq(rows, times_s / sizes_bytes)[0]
    return latency_s, 1 / slope
