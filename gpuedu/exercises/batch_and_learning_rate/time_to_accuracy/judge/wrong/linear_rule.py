# loses: small
# asks: 5 of 20 runs were left, and of the up to eight places around the best run some were not
#   tried. Is one of those better?
def search(run, batches, rates, budget):
    middle, times = len(batches) // 2, {}
    for column, rate in enumerate(rates[:budget]):
        times[middle, column] = run(batches[middle], rate)
    _, best = min(times, key=times.get)
    for row, batch in enumerate(batches):
        column = best + row - middle
        if row != middle and 0 <= column < len(rates) and len(times) < budget:
            times[row, column] = run(batch, rates[column])
    row, column = min(times, key=times.get)
    return batches[row], rates[column]
