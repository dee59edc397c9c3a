# loses: large
# everybody takes 64
def search(run, batches, rates, budget):
    times = {(64, rate): run(64, rate) for rate in rates[:budget]}
    return min(times, key=times.get)
