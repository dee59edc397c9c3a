# loses: bandwidth
# gives a share of the peak
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return min(threads * bytes_per_thread / latency_s / peak_bytes_per_s, 1)
