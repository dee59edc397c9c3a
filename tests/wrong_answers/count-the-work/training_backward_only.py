# loses: ratios
# counts the way back alone
def training_flop(params, tokens):
    return 4 * tokens * params
