# loses: budget
# asks: Where do you count them? One function that all runs go through can refuse.
def search(run, batches, rates, budget):
    return min(((b, r) for b in batches for r in rates), key=lambda point: run(*point))
