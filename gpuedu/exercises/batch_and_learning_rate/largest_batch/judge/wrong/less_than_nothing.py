# loses: guess
# asks: Where not even the weights fit, 0 is wanted.
import math


def guess_batch(small, large, budget_bytes):
    each = (large[1] - small[1]) / (large[0] - small[0])
    return math.floor((budget_bytes - small[1]) / each + small[0])
