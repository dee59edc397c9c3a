# loses: two-arrays
# thinks out has to be read before it is written
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 3, "scale": 3, "add": 4, "triad": 4}[kernel]
    return arrays * n * itemsize / time_s / 1e9
