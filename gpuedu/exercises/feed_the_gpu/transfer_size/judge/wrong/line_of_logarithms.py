# loses: exact
# asks: That is a line through the logarithms. Is the logarithm of `latency + size * slope` one?
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(np.log(sizes_bytes), np.log(times_s), 1)
    return np.exp(intercept), 1 / slope
