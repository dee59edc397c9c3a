# the sums with arrays
def sm_active(kernels, start_s, end_s, sms):
    table = np.array(kernels, dtype=float).reshape(-1, 4)
    inside = np.clip(table[:, 1], start_s, end_s) - np.clip(table[:, 0], start_s, end_s)
    return (inside * table[:, 2]).sum() / sms / (end_s - start_s)


def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    table = np.array(kernels, dtype=float).reshape(-1, 4)
    inside = np.clip(table[:, 1], start_s, end_s) - np.clip(table[:, 0], start_s, end_s)
    rates = table[:, 3] / (table[:, 1] - table[:, 0])
    return (inside * rates).sum() / peak_bytes_per_s / (end_s - start_s)
