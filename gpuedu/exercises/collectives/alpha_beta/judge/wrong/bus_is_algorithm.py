# loses: bandwidths
# asks: That is the algorithm bandwidth once more. How many bytes did each link carry?
def bandwidths(ranks, size_bytes, time_s):
    return size_bytes / time_s, size_bytes / time_s
