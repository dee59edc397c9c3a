# loses: guess
# in proportion to the larger trial
def guess_batch(small, large, budget_bytes):
    return int(budget_bytes / (large[1] / large[0]))
