# loses: bytes
# takes the latency for nanoseconds
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return latency_s * 1e-9 * bandwidth_bytes_per_s
