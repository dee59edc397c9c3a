# loses: attention
# asks: Where is the number of samples?
def attention_flop(samples, length, width):
    return length * (8 * width**2 + 4 * length * width)
