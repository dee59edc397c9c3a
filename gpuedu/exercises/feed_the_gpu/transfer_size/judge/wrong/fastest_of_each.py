# loses: scattered
# asks: That fits the fastest time of each size. These are off in both directions.
def fit(sizes_bytes, times_s):
    sizes = np.unique(sizes_bytes)
    best = np.array([times_s[sizes_bytes == size].min() for size in sizes])
    slope, intercept = np.polyfit(sizes, best, 1, w=1 / best)
    return intercept, 1 / slope
