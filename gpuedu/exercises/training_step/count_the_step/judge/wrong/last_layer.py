# loses: mlp-step
# asks: That leaves out a product of the last layer. Which layer's inputs are not computed from
#   any weight?
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers) - layers[-1]
