# divides bytes by nanoseconds, which is GB/s
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    time_ns = time_s * 1e9
    reads = 2 if kernel == "add" or kernel == "triad" else 1
    return itemsize * n * (reads + 1) / time_ns
