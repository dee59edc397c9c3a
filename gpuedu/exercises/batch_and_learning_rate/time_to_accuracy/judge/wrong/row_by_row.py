# loses: middle
# asks: All rates of a batch are run before the next batch is, until the budget is used up. Which
#   batches are never run?
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches for rate in rates][:budget]
    return min(points, key=lambda point: run(*point))
