# loses: bandwidth
# takes bytes for bytes per second
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return min(threads * bytes_per_thread, peak_bytes_per_s)
