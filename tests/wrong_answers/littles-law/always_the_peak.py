# loses: bandwidth
# thinks memory always gives its peak
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return peak_bytes_per_s
