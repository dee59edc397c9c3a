# loses: three-arrays
# one in, one out, for every kernel
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    return 2 * n * itemsize / time_s / 1e9
