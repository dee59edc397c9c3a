# loses: running
def running_sum(values):
    return values.sum() if len(values) else np.float16(0)
