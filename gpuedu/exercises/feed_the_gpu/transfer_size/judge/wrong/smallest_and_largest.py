# loses: exact
# asks: That is one time for the latency, and one for the rate. Use all.
def fit(sizes_bytes, times_s):
    return times_s.min(), (sizes_bytes / times_s).max()
