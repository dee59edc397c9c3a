# loses: pairwise
def pairwise_sum(values):
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[::-1][:half]
    return values.sum()
