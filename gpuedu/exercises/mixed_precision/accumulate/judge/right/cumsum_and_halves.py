def running_sum(values):
    return np.cumsum(values)[-1] if len(values) else 0.0


def pairwise_sum(values):
    if len(values) <= 1:
        return values[0] if len(values) else np.float16(0)
    middle = len(values) // 2
    return pairwise_sum(values[:middle]) + pairwise_sum(values[middle:])


def kahan_sum(values):
    total = compensation = 0.0
    for value in values:
        y = value - compensation
        t = total + y
        compensation = (t - total) - y
        total = t
    return float(total)


def dot(a, b):
    total = np.float32(0)
    for x, y in zip(a.astype(np.float32), b):
        total += x * np.float32(y)
    return total
