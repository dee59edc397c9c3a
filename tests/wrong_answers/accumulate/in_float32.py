# loses: pairwise
def pairwise_sum(values):
    values = values.astype(np.float32)
    while len(values) > 1:
        values = values[0::2] + values[1::2]
    return np.float16(values.sum())
