# loses: bandwidths
# the factor turned over
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s / 2 * ranks / (ranks - 1)
