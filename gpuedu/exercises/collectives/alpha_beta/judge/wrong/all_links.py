# loses: bandwidths
# asks: That counts the links of all ranks together: the bus bandwidth is that of one.
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s * 2 * (ranks - 1)
