# loses: three-arrays
# asks: That counts two arrays. This kernel reads two and writes a third.
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    arrays = 2 if kernel == "copy" or "scale" else 3
    return arrays * n * itemsize / time_s / 1e9
