# loses: small
# asks: All other batches are run with the best rate of one batch. Has each batch the same best
#   rate?
def search(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    times = {(middle, rate): run(middle, rate) for rate in rates[:budget]}
    _, best_rate = min(times, key=times.get)
    for batch in batches:
        if batch != middle and len(times) < budget:
            times[batch, best_rate] = run(batch, best_rate)
    return min(times, key=times.get)
