def pairwise_sum(values):
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[half : 2 * half]
    return values.sum()


def dot(a, b):
    return np.sum(a.astype(np.float64) * b.astype(np.float64))
