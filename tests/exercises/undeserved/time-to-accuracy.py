# must lose: budget, once, best
def search(run, batches, rates, budget):
    run(batches[0], rates[0])
    return batches[0], rates[0]
