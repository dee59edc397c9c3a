# loses: bandwidth
# gives each thread one byte
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    return min(threads / latency_s, peak_bytes_per_s)
