# loses: bytes
# divides the bandwidth by the latency
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return bandwidth_bytes_per_s / latency_s
