# loses: pairwise
# asks: Those are two running sums: each still goes through n / 2 roundings.
def pairwise_sum(values):
    return running_sum(values[0::2]) + running_sum(values[1::2])
