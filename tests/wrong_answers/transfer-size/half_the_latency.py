# loses: model
# bytes that take half as long as the latency
def half_size(latency_s, bandwidth_bytes_per_s):
    return latency_s * bandwidth_bytes_per_s / 2
