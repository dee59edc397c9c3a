# loses: small
# asks: 4 of 20 runs were left, and of the up to eight places around the best run some were not
#   tried. Is one of those better?
def search(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    times = {(middle, rate): run(middle, rate) for rate in rates[:budget]}
    _, best_rate = min(times, key=times.get)
    for batch in batches:
        if batch != middle and len(times) < budget:
            times[batch, best_rate] = run(batch, best_rate)
    return min(times, key=times.get)
