# must lose: threads
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return latency_s * bandwidth_bytes_per_s


def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)


def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return math.ceil(bytes_in_flight(latency_s, bandwidth_bytes_per_s) / bytes_per_thread - 1e-4)
