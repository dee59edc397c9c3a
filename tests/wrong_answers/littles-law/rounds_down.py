# loses: threads
# cuts the last thread
def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return int(latency_s * bandwidth_bytes_per_s / bytes_per_thread)
