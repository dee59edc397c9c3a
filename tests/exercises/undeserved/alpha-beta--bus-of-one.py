# must lose: bandwidths
def bandwidths(ranks, size_bytes, time_s):
    a = size_bytes / time_s
    return a, a * (2 * (ranks - 1) / ranks if ranks > 1 else 1)


def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    """Seconds of a ring all-reduce."""
    return 2 * (ranks - 1) * (alpha_s + size_bytes / ranks / bytes_per_s)


def fit_ring(ranks, sizes_bytes, times_s):
    """Alpha in seconds, and the rate in bytes per second, of one message."""
    steps = 2 * (ranks - 1)
    columns = [np.full(len(sizes_bytes), steps), steps / ranks * sizes_bytes]
    rows = np.stack(columns, axis=1) / times_s[:, None]
    alpha_s, beta_s = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    return alpha_s, 1 / beta_s
