# loses: threads
# adds a thread even where it fits
def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return int(latency_s * bandwidth_bytes_per_s / bytes_per_thread) + 1
