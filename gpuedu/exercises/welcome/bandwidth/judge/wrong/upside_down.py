# loses: unit
# divides the time by the bytes
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return time_s / (arrays * n * itemsize / 1e9)
