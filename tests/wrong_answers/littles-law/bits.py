# loses: bytes
# gives bits
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return 8 * latency_s * bandwidth_bytes_per_s
