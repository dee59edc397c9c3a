# loses: guess
# forgets what does not grow
def guess_batch(small, large, budget_bytes):
    return int(budget_bytes / ((large[1] - small[1]) / (large[0] - small[0])))
