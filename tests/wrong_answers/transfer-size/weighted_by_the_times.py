# loses: scattered
# weights the wrong way round
def fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1, w=times_s)
    return intercept, 1 / slope
