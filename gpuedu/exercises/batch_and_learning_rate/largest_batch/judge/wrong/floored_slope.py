# loses: guess
# asks: The bytes of a sample need not be a whole number: is there a `//` too many?
def guess_batch(small, large, budget_bytes):
    each = (large[1] - small[1]) // (large[0] - small[0])
    return max(0, (budget_bytes - small[1] + small[0] * each) // each)
