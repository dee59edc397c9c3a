# polyfit's w multiplies the errors before they are squared
def fit(sizes_bytes, times_s):
    slope, latency_s = np.polyfit(sizes_bytes, times_s, 1, w=1 / times_s)
    return float(latency_s), float(1 / slope)
