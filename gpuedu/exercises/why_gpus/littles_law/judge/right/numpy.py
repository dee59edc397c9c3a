# NumPy's numbers instead of Python's.
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    return np.float64(latency_s) * bandwidth_bytes_per_s


def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return np.ceil(latency_s * bandwidth_bytes_per_s / bytes_per_thread)


def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return np.minimum(threads / latency_s * bytes_per_thread, peak_bytes_per_s)
