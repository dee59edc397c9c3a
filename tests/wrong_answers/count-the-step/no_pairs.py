# loses: attention
# counts weights alone
def attention_flop(samples, length, width):
    return 8 * samples * length * width**2
