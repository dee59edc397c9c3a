# loses: mlp-step
# counts the gradient of the images
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers)
