# loses: two-arrays
# asks: That counts three arrays. Which ones does this kernel touch?
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = {"copy": 2, "scale": 3, "add": 3, "triad": 4}[kernel]
    return arrays * n * itemsize / time_s / 1e9
