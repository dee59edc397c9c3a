# loses: ratios
# forgets the way back
def training_flop(params, tokens):
    return 2 * params * tokens
