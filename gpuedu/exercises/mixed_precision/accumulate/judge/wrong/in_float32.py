# loses: pairwise
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16.
def pairwise_sum(values):
    values = values.astype(np.float32)
    while len(values) > 1:
        values = values[0::2] + values[1::2]
    return np.float16(values.sum())
