# loses: two-arrays
# asks: That counts one array. What about the one that is written?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 1, "scale": 1, "add": 2, "triad": 2}[kernel]
    return arrays * n * itemsize / time_s / 1e9
