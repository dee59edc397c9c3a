# loses: overlap
# asks: A kernel that starts later may end sooner. Until when is the GPU busy with both?
def gpu_util(kernels, start_s, end_s):
    busy_s, reached_s = 0.0, start_s
    for start, end, _, _ in sorted(kernels):
        a, b = max(start, reached_s), min(end, end_s)
        busy_s += max(b - a, 0)
        reached_s = max(b, start_s)
    return busy_s / (end_s - start_s)
