# must lose: overlap
def sm_active(kernels, start_s, end_s, sms):
    """Mean share of the device's SMs in use."""
    busy_s = 0.0
    for start, end, used, _ in kernels:
        busy_s += max(0.0, min(end, end_s) - max(start, start_s)) * used
    return busy_s / (sms * (end_s - start_s))


def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    """Bytes moved, as a share of what the memory could have moved."""
    moved = 0.0
    for start, end, _, size_bytes in kernels:
        inside_s = max(0.0, min(end, end_s) - max(start, start_s))
        moved += size_bytes * inside_s / (end - start)
    return moved / (peak_bytes_per_s * (end_s - start_s))


def gpu_util(kernels, start_s, end_s):
    total = 0.0
    inside = [
        (max(a, start_s), min(b, end_s))
        for a, b, _, _ in kernels
        if min(b, end_s) > max(a, start_s)
    ]
    for i, (a, b) in enumerate(inside):
        total += b - a
        for c, d in inside[:i]:
            total -= max(0.0, min(b, d) - max(a, c))
    return total / (end_s - start_s)
