# loses: bandwidths
# what all ranks send together
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s * 2 * (ranks - 1)
