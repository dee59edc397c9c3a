# loses: model
# asks: At that size the bytes take half as long as the latency: a third of the bandwidth.
def half_size(latency_s, bandwidth_bytes_per_s):
    return latency_s * bandwidth_bytes_per_s / 2
