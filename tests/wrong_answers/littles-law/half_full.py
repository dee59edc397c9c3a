# loses: bytes
# thinks that half a pipe is full on average
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return latency_s * bandwidth_bytes_per_s / 2
