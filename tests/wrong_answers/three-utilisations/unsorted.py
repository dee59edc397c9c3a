# loses: overlap
# walks through the list as it comes
def gpu_util(kernels, start_s, end_s):
    busy_s, reached_s = 0.0, start_s
    for start, end, _, _ in kernels:
        a, b = max(start, reached_s), min(end, end_s)
        if b > a:
            busy_s += b - a
            reached_s = b
    return busy_s / (end_s - start_s)
