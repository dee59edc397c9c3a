# loses: window
# asks: That counts what ran outside of the window, too. Which part lies inside?
def gpu_util(kernels, start_s, end_s):
    busy_s, reached_s = 0.0, 0.0
    for start, end, _, _ in sorted(kernels):
        if end > start_s and start < end_s:
            busy_s += max(end - max(start, reached_s), 0)
            reached_s = max(end, reached_s)
    return busy_s / (end_s - start_s)
