# loses: exact
# asks: You divided the rows. And the right side?
def fit(sizes_bytes, times_s):
    rows = np.stack([1 / times_s, sizes_bytes / times_s], axis=1)
    latency_s, slope = np.linalg.lstsq(rows, times_s)[0]
    return latency_s, 1 / slope
