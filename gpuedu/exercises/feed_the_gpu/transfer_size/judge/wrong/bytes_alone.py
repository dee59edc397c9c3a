# loses: model
# asks: That is the bytes alone. And the latency?
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return size_bytes / bandwidth_bytes_per_s
