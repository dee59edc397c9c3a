# loses: small
# all rates for one batch, then all batches with that rate; keeps to the budget
def search(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    times = {(middle, rate): run(middle, rate) for rate in rates[:budget]}
    _, best_rate = min(times, key=times.get)
    for batch in batches:
        if batch != middle and len(times) < budget:
            times[batch, best_rate] = run(batch, best_rate)
    return min(times, key=times.get)
