# loses: middle
# asks: 4 of 20 runs were left, and of the up to eight places around the best run some were not
#   tried. Is one of those better?
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches[1::2] for rate in rates[1::2]]
    return min(points[:budget], key=lambda point: run(*point))
