# loses: pairwise
# asks: That is the running sum. What does it lose, and when?
def pairwise_sum(values):
    return running_sum(values)
