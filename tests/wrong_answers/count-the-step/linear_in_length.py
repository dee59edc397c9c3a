# loses: attention
# one score for each position
def attention_flop(samples, length, width):
    return samples * length * (8 * width**2 + 4 * width)
