# loses: exact
# the least time is the latency, the best rate the bandwidth
def fit(sizes_bytes, times_s):
    return times_s.min(), (sizes_bytes / times_s).max()
