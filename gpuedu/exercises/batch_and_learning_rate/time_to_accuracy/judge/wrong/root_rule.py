# loses: large
# asks: One rate is run for each further batch, by the root rule. What lies around the best run?
def search(run, batches, rates, budget):
    middle, times = len(batches) // 2, {}
    for column, rate in enumerate(rates[:budget]):
        times[middle, column] = run(batches[middle], rate)
    _, best = min(times, key=times.get)
    for row, batch in enumerate(batches):
        column = best + round((row - middle) / 2)
        if row != middle and 0 <= column < len(rates) and len(times) < budget:
            times[row, column] = run(batch, rates[column])
    row, column = min(times, key=times.get)
    return batches[row], rates[column]
