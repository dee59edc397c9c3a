# loses: mlp-step
# asks: That is three times the forward. The first layer's inputs are images: who needs *their*
#   gradient?
def mlp_step_flop(samples, widths):
    layers = [2 * samples * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(layers)
