# loses: bytes
# counts the latency twice, there and back
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return 2 * latency_s * bandwidth_bytes_per_s
