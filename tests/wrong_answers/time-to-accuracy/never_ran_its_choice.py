# loses: best
# runs the lowest rate, and returns one from the middle
def search(run, batches, rates, budget):
    run(64, rates[0])
    return 64, rates[len(rates) // 2]
