# loses: middle
# asks: The best has a batch of 128, which was never run. From the best run so far, which way
#   does the time fall, and do you follow it?
def search(run, batches, rates, budget):
    points = [(batch, rate) for batch in batches for rate in rates][:budget]
    return min(points, key=lambda point: run(*point))
