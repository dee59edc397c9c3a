# loses: three-arrays
# thinks triad does twice the work of add
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 6}[kernel]
    return arrays * n * itemsize / time_s / 1e9
