# loses: middle
# asks: Only every other batch and every other rate are run there. What lies between them, around
#   the best run?
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches[1::2] for rate in rates[1::2]]
    return min(points[:budget], key=lambda point: run(*point))
