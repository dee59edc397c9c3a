# loses: running
def running_sum(values):
    total = values[0]
    for value in values:
        total = total + value
    return total
