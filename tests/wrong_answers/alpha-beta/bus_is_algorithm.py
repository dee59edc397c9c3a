# loses: bandwidths
# what the user sees, twice
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s
