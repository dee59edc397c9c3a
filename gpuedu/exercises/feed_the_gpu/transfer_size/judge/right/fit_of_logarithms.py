# least squares of the logarithms of the ratios, by Gauss-Newton
def fit(sizes_bytes, times_s):
    latency, slope = times_s.min(), times_s.max() / sizes_bytes.max()
    for _ in range(30):
        model = latency + slope * sizes_bytes
        rows = np.stack([latency / model, slope * sizes_bytes / model], axis=1)
        step = np.linalg.lstsq(rows, np.log(times_s / model), rcond=None)[0]
        latency, slope = latency * np.exp(step[0]), slope * np.exp(step[1])
    return latency, 1 / slope
