# loses: best
# asks: The batch is the best of some runs, the rate that of others. Was the pair ever run?
def search(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    by_rate = {rate: run(middle, rate) for rate in rates[: min(budget, 10)]}
    rate = min(by_rate, key=by_rate.get)
    low = rates[0]
    by_batch = {}
    for batch in batches:
        if batch != middle and len(by_rate) + len(by_batch) < budget:
            by_batch[batch] = run(batch, low)
    return min(by_batch, key=by_batch.get, default=batches[0]), rate
