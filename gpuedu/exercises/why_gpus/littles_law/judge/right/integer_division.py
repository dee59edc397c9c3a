# Rounds up with a negated floor; limits with an if.
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return bandwidth_bytes_per_s * latency_s


def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return -(-bytes_in_flight(latency_s, bandwidth_bytes_per_s) // bytes_per_thread)


def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    asked = threads * bytes_per_thread / latency_s
    if asked > peak_bytes_per_s:
        return peak_bytes_per_s
    return asked
