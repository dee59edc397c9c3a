# loses: guess
# asks: That is in proportion to the second trial. What does a batch of 0 take, on the line
#   through both?
def guess_batch(small, large, budget_bytes):
    return int(budget_bytes / (large[1] / large[0]))
