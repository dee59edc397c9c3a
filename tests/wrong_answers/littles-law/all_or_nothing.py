# loses: bandwidth
# thinks too few threads reach nothing
def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    full = threads * bytes_per_thread >= latency_s * peak_bytes_per_s
    return peak_bytes_per_s if full else 0
