# loses: model
# asks: That is the longer of the two. The bytes travel behind the latency: one after the other.
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return max(latency_s, size_bytes / bandwidth_bytes_per_s)
