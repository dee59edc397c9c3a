# loses: guess
# takes the bytes of a sample for a whole number
def guess_batch(small, large, budget_bytes):
    each = (large[1] - small[1]) // (large[0] - small[0])
    return max(0, (budget_bytes - small[1] + small[0] * each) // each)
