# counts up at a start and down at an end
def gpu_util(kernels, start_s, end_s):
    marks = []
    for a, b, _, _ in kernels:
        a, b = max(a, start_s), min(b, end_s)
        if a < b:
            marks += [(a, 1), (b, -1)]
    busy, running, since = 0.0, 0, 0.0
    for at, change in sorted(marks):
        if running:
            busy += at - since
        running, since = running + change, at
    return busy / (end_s - start_s)
