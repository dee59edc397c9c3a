# loses: wide-sum
def dot(a, b):
    return running_sum(a * b)
