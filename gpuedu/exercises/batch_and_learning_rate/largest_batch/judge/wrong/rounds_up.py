# loses: guess
# asks: Rounded up it does not fit.
def guess_batch(small, large, budget_bytes):
    each = (large[1] - small[1]) / (large[0] - small[0])
    return max(0, round(0.5 + (budget_bytes - small[1] + small[0] * each) / each))
