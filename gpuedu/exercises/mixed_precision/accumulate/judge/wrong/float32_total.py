# loses: running
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16.
def running_sum(values):
    total = np.float32(0)
    for value in values:
        total += value
    return np.float16(total)
