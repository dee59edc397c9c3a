# loses: recipe
# asks: steps = least * (1 + scale / batch), with the same `least` before and after.
def recipe(ranks, batch, peak, steps, scale, optimiser):
    new = ranks * batch
    factor = ranks if optimiser == "sgd" else math.sqrt(ranks)
    return new, peak * factor, steps * (1 + scale / new)
