# loses: unit
# asks: That is in bytes per second. One GB is 1e9 bytes.
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n * itemsize / time_s
