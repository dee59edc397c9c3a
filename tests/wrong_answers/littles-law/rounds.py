# loses: threads
# rounds to the nearest
def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    return round(latency_s * bandwidth_bytes_per_s / bytes_per_thread)
