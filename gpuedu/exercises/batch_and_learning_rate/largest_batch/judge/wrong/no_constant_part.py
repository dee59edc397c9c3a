# loses: guess
# asks: That is as if the weights took nothing. What does a batch of 0 take, on the line through
#   both?
def guess_batch(small, large, budget_bytes):
    return int(budget_bytes / ((large[1] - small[1]) / (large[0] - small[0])))
