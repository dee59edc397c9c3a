# loses: exact
# asks: By what is each equation `latency + size * slope = time` divided, on both sides? And
#   which of the two results is which, and in which unit?
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(np.log(sizes_bytes), np.log(times_s), 1)
    return np.exp(intercept), 1 / slope
