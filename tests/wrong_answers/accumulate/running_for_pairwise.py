# loses: pairwise
def pairwise_sum(values):
    return running_sum(values)
