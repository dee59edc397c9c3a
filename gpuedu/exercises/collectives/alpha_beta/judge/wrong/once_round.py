# loses: bandwidths
# asks: Once round the ring is half of it.
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s * (ranks - 1) / ranks
