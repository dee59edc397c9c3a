# loses: few-kernels
# what was given
def augment(pictures, flips, tops, lefts, size, mean, std):
    return one_by_one(pictures, flips, tops, lefts, size, mean, std)
