# loses: recipe
# asks: Each rank keeps its `batch` samples. How many are those of a step?
def recipe(ranks, batch, peak, steps, scale, optimiser):
    new = ranks * batch
    factor = ranks if optimiser == "sgd" else math.sqrt(ranks)
    return batch, peak * factor, steps * (1 + scale / new) / (1 + scale / batch)
