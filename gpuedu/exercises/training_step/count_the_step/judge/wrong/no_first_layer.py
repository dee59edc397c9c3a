# loses: mlp-step
# asks: The first layer needs no gradient of its inputs, but one of its weights.
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers) - 2 * layers[0]
