# loses: unit
# asks: That is in gigabits: 8 of them make a gigabyte.
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n * itemsize * 8 / time_s / 1e9
