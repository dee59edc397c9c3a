# loses: running
def running_sum(values):
    return np.float16(sum(values.tolist()))
