# loses: itemsize
# takes every element for a Python float of 8 bytes
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n * 8 / time_s / 1e9
