# loses: two-arrays
# asks: That counts one array. What about the one that is written?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 1, "add": 3, "triad": 3}[kernel]
    return arrays * n * itemsize / time_s / 1e9
