# loses: budget
def search(run, batches, rates, budget):
    return min(((b, r) for b in batches for r in rates), key=lambda point: run(*point))
