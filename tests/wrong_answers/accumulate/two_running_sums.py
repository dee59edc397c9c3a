# loses: pairwise
def pairwise_sum(values):
    return running_sum(values[0::2]) + running_sum(values[1::2])
