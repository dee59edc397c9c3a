# must lose: any-kernel, overlap, sm-active, memory, window
def gpu_util(kernels, start_s, end_s):
    busy_s, reached_s = 0.0, start_s
    for start, end, _, _ in sorted(kernels):
        a, b = max(start, reached_s), min(end, end_s)
        if b > a:
            busy_s += b - a
            reached_s = b
    return busy_s / 0.04


def sm_active(kernels, start_s, end_s, sms):
    busy_s = 0.0
    for start, end, used, _ in kernels:
        busy_s += max(0.0, min(end, end_s) - max(start, start_s)) * used
    return busy_s / (sms * 0.04)


def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    moved = 0.0
    for start, end, _, size_bytes in kernels:
        inside_s = max(0.0, min(end, end_s) - max(start, start_s))
        moved += size_bytes * inside_s / (end - start)
    return moved / (peak_bytes_per_s * 0.04)
