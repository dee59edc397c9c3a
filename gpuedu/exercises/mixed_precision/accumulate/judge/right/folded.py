def running_sum(values):
    total = 0.0
    for value in values:
        total += value
    return total


def pairwise_sum(values):
    values = values.copy()
    n = len(values)
    while n > 1:
        half = (n + 1) // 2
        values[: n - half] += values[half:n]
        n = half
    return values[0] if n else np.float16(0)


def dot(a, b):
    return float(np.sum(a.astype(np.float64) * b.astype(np.float64)))
