# loses: recipe
# asks: That is as many samples as before. It holds far below the noise scale only: above it, a
#   larger batch saves next to no steps.
def recipe(ranks, batch, peak, steps, scale, optimiser):
    new = ranks * batch
    factor = ranks if optimiser == "sgd" else math.sqrt(ranks)
    return new, peak * factor, steps / ranks
