# loses: wide-sum
def dot(a, b):
    return np.float16(np.dot(a.astype(np.float32), b.astype(np.float32)))
