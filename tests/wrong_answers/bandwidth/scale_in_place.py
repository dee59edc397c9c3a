# loses: two-arrays
# thinks that scale works in place and moves one array
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 1, "add": 3, "triad": 3}[kernel]
    return arrays * n * itemsize / time_s / 1e9
