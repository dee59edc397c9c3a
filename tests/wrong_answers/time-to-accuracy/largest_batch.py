# loses: small
# takes the largest batch, and sweeps its rates
def search(run, batches, rates, budget):
    times = {(batches[-1], rate): run(batches[-1], rate) for rate in rates[:budget]}
    return min(times, key=times.get)
