# loses: kahan
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16. What came back is no float16 number.
def kahan_sum(values):
    return np.sum(values, dtype=np.float32)
