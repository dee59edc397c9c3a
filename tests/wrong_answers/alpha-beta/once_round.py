# loses: bandwidths
# half of what a rank sends
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s * (ranks - 1) / ranks
