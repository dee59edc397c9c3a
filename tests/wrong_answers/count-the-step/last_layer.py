# loses: mlp-step
# leaves a product of the last layer out
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers) - layers[-1]
