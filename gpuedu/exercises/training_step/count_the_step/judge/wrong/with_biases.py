# loses: mlp-step
# asks: The biases are in it. Products alone.
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers) - layers[0] + samples * sum(widths[1:])
