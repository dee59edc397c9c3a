# loses: two-arrays
# counts the result and nothing else
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    return n * itemsize / time_s / 1e9
