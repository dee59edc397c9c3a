# loses: few-kernels
# asks: They grow with the batch. Which line runs once for each picture, or each row?
def augment(pictures, flips, tops, lefts, size, mean, std):
    return one_by_one(pictures, flips, tops, lefts, size, mean, std)
