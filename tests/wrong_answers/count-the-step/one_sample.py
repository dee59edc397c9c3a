# loses: attention
# forgets the samples
def attention_flop(samples, length, width):
    return length * (8 * width**2 + 4 * length * width)
