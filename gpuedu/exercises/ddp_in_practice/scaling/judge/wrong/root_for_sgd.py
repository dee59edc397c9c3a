# loses: recipe
# asks: SGD: the linear rule. Adam: the root. By what does the batch grow?
def recipe(ranks, batch, peak, steps, scale, optimiser):
    new = ranks * batch
    factor = ranks if optimiser == "adam" else math.sqrt(ranks)
    return new, peak * factor, steps * (1 + scale / new) / (1 + scale / batch)
