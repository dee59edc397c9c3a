# loses: wide-sum
def dot(a, b):
    return np.dot(a, b)
