# loses: bandwidths
# asks: What did one rank send, for a tensor of S bytes? Put that over the time.
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s / 2 * ranks / (ranks - 1)
