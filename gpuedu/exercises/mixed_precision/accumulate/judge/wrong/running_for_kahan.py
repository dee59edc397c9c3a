# loses: kahan
# asks: That is the running sum. What does it lose, and when?
def kahan_sum(values):
    return running_sum(values)
