# loses: running
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16.
def running_sum(values):
    return np.float16(sum(values.tolist()))
