# must lose: budget, once, best
def search(run, batches, rates, budget):
    point = batches[len(batches) // 8], rates[len(rates) // 5]
    run(*point)
    return point
