# loses: attention
# counts the scores, not the mix
def attention_flop(samples, length, width):
    return samples * length * (8 * width**2 + 2 * length * width)
