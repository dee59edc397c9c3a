# loses: exact
# a power law, which is a line on these axes
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(np.log(sizes_bytes), np.log(times_s), 1)
    return np.exp(intercept), 1 / slope
