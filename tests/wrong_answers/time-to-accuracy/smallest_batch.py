# loses: large
# the fewest samples: sweeps the rates of the smallest batch
def search(run, batches, rates, budget):
    times = {(batches[0], rate): run(batches[0], rate) for rate in rates[:budget]}
    return min(times, key=times.get)
