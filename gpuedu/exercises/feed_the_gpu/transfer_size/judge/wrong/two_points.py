# loses: scattered
# asks: That is the line through two of the times. Use all: they scatter.
def fit(sizes_bytes, times_s):
    slope = (times_s[-1] - times_s[0]) / (sizes_bytes[-1] - sizes_bytes[0])
    return times_s[0] - slope * sizes_bytes[0], 1 / slope
