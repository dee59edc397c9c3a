# loses: two-arrays
# counts what is read and forgets out
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 1, "scale": 1, "add": 2, "triad": 2}[kernel]
    return arrays * n * itemsize / time_s / 1e9
