# loses: products
def dot(a, b):
    total = np.float32(0)
    for x, y in zip(a, b):
        total += np.float32(x * y)
    return total
