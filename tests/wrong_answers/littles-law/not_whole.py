# loses: threads
# gives part of a thread
def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return latency_s * bandwidth_bytes_per_s / bytes_per_thread
