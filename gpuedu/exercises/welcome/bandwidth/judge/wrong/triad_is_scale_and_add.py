# loses: three-arrays
# counts triad as a scale and then an add
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 5}[kernel]
    return arrays * n * itemsize / time_s / 1e9
