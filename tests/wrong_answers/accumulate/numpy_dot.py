# loses: wide-sum
def dot(a, b):
    total = np.float16(0)
    for x, y in zip(a, b):
        total = np.float16(np.float32(x) * np.float32(y) + total)
    return total
