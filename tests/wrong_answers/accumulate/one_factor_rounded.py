# loses: products
def dot(a, b):
    return np.sum((a.astype(np.float32) * b).astype(np.float16).astype(np.float32))
