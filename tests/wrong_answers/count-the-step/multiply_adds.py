# loses: attention
# counts a multiply and an add as one
def attention_flop(samples, length, width):
    return samples * length * (4 * width**2 + 2 * length * width)
