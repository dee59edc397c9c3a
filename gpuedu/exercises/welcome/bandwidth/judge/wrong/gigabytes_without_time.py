# loses: unit
# asks: That is how much was moved. In what time?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n * itemsize / 1e9
