# loses: itemsize
# asks: That counts one array. What about the one that is written?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n * 4 / time_s / 1e9
