# loses: itemsize
# asks: That counts elements, not bytes. Which argument is not used yet?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}[kernel]
    return arrays * n / time_s / 1e9
