# loses: ratios
# counts one FLOP for each product
def training_flop(params, tokens):
    return 3 * params * tokens
