# loses: model
# as if the bytes travelled during the latency
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return max(latency_s, size_bytes / bandwidth_bytes_per_s)
