# loses: kahan
def kahan_sum(values):
    return running_sum(values)
