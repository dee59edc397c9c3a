# loses: middle
# row by row until the budget is used up
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches for rate in rates][:budget]
    return min(points, key=lambda point: run(*point))
