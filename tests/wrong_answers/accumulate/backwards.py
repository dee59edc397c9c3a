# loses: running
def running_sum(values):
    total = np.float16(0)
    for value in values[::-1]:
        total = total + value
    return total
