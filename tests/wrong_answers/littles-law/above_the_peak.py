# loses: bandwidth
# lets threads go past the peak
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return threads * bytes_per_thread / latency_s
