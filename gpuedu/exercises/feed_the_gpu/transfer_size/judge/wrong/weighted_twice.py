# loses: scattered
# asks: That divides the errors by the squares of the times, so the small copies decide nearly
#   all. A share of the time is the error over the time itself. (`np.polyfit` multiplies by `w`
#   before it squares.)
def fit(sizes_bytes, times_s):
    slope, latency_s = np.polyfit(sizes_bytes, times_s, 1, w=1 / times_s**2)
    return float(latency_s), float(1 / slope)
