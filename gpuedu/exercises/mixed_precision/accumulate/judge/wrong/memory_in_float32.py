# loses: kahan
# asks: That is added up in a wider format (`np.sum` does so inside, too). Here every addition
#   is rounded to float16.
def kahan_sum(values):
    total, lost = np.float16(0), np.float32(0)
    for value in values:
        wanted = value + lost
        new = np.float16(total + wanted)
        lost = wanted - (np.float32(new) - np.float32(total))
        total = new
    return total
