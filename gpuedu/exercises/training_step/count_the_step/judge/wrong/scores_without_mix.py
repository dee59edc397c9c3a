# loses: attention
# asks: One of the two products over pairs of positions is missing, or both are counted by half.
#   The mask is laid over scores that were all computed.
def attention_flop(samples, length, width):
    return samples * length * (8 * width**2 + 2 * length * width)
