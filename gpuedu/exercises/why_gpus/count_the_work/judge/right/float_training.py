# The FLOP of a training in floats, which round.
def training_flop(params, tokens):
    return 3 * (2.0 * params * tokens)
