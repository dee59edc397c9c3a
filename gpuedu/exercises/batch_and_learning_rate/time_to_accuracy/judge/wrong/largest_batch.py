# loses: small
# asks: All runs had the same batch. What does the device do with another one?
def search(run, batches, rates, budget):
    times = {(batches[-1], rate): run(batches[-1], rate) for rate in rates[:budget]}
    return min(times, key=times.get)
