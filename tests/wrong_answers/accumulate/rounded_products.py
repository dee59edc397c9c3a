# loses: products
def dot(a, b):
    return np.sum(a * b, dtype=np.float32)
