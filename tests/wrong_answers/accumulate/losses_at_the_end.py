# loses: kahan
def kahan_sum(values):
    total = losses = np.float16(0)
    for value in values:
        new = total + value
        losses = losses + (value - (new - total))
        total = new
    return total + losses
