# loses: large
# asks: All runs had the same batch. What does the device do with another one?
def search(run, batches, rates, budget):
    times = {(64, rate): run(64, rate) for rate in rates[:budget]}
    return min(times, key=times.get)
