# loses: ratios
# takes the way back for one product
def training_flop(params, tokens):
    return 4 * params * tokens
