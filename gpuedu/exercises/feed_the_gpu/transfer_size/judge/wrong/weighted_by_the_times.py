# loses: scattered
# asks: That multiplies the errors by the times, so that the largest copies count even more.
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1, w=times_s)
    return intercept, 1 / slope
