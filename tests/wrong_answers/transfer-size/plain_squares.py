# loses: scattered
# errors in seconds: the largest copies decide
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept, 1 / slope
