# loses: middle
# asks: Most runs of the budget are left. What lies around the best of those few?
def search(run, batches, rates, budget):
    points = [(batches[row], rates[2]) for row in (0, 3, 6)]
    return min(points[:budget], key=lambda point: run(*point))
