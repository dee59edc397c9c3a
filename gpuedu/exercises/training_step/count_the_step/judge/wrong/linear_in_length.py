# loses: attention
# asks: Each position meets `length` others, so for the whole text it is `length` squared.
def attention_flop(samples, length, width):
    return samples * length * (8 * width**2 + 4 * width)
