# loses: exact
# asks: The second number is seconds a byte. What is wanted is bytes a second.
def fit(sizes_bytes, times_s):
    slope, latency_s = np.polyfit(sizes_bytes, times_s, 1, w=1 / times_s)
    return latency_s, slope
