# uses branches, and counts what is read and what is written apart
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    if kernel in ("copy", "scale"):
        read = n * itemsize
    else:
        read = 2 * n * itemsize
    written = n * itemsize
    return (read + written) / (1e9 * time_s)
