# loses: running
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16. What came back is no float16 number.
def running_sum(values):
    total = 0.0
    for value in values:
        total += float(value)
    return total
