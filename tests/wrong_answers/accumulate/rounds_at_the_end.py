# loses: running
def running_sum(values):
    total = 0.0
    for value in values:
        total += float(value)
    return total
