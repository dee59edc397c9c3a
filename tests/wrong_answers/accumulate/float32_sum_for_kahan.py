# loses: kahan
def kahan_sum(values):
    return np.sum(values, dtype=np.float32)
