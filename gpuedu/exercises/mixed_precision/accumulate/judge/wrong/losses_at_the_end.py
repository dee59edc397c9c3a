# loses: kahan
# asks: What was lost is added to the large total there, and lost again. To what should it go?
def kahan_sum(values):
    total = losses = np.float16(0)
    for value in values:
        new = total + value
        losses = losses + (value - (new - total))
        total = new
    return total + losses
