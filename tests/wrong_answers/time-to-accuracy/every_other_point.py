# loses: middle
# a coarse grid over everything, and no second look
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches[1::2] for rate in rates[1::2]]
    return min(points[:budget], key=lambda point: run(*point))
