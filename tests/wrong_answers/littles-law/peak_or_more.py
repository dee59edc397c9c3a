# loses: bandwidth
# takes the larger of the two
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return max(threads * bytes_per_thread / latency_s, peak_bytes_per_s)
