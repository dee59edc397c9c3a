# loses: attention
# asks: Those are the products with weights. Each position also meets every other one.
def attention_flop(samples, length, width):
    return 8 * samples * length * width**2
