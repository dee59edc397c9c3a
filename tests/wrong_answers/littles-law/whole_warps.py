# loses: threads
# rounds up to whole warps
def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return 32 * math.ceil(latency_s * bandwidth_bytes_per_s / bytes_per_thread / 32)
