# loses: running
def running_sum(values):
    total = np.float32(0)
    for value in values:
        total += value
    return np.float16(total)
