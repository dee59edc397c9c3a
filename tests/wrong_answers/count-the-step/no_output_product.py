# loses: attention
# forgets the last product
def attention_flop(samples, length, width):
    return samples * length * (6 * width**2 + 4 * length * width)
