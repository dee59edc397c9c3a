# loses: two-arrays
# asks: That counts one array. What about the one that is written?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    return n * itemsize / time_s / 1e9
