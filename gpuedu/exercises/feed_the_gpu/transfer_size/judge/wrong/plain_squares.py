# loses: scattered
# asks: That is the line with the least squares of errors in seconds. A tenth of a long copy's
#   time is many latencies, so the largest copies decide all. What should count, if each time is
#   off by a share of itself?
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept, 1 / slope
