# loses: attention
# asks: That counts a multiply and an add as one. A product of k terms is 2 k FLOP.
def attention_flop(samples, length, width):
    return samples * length * (4 * width**2 + 2 * length * width)
