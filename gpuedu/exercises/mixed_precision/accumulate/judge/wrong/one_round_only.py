# loses: pairwise
# asks: That is one round, and then a running sum. What follows the first round?
def pairwise_sum(values):
    total = np.float16(0)
    for pair in values[0::2] + values[1::2] if len(values) > 1 else values:
        total = total + pair
    return total
