# loses: attention
# asks: One product with weights is missing: three make q, k and v. What is done with the
#   result?
def attention_flop(samples, length, width):
    return samples * length * (6 * width**2 + 4 * length * width)
