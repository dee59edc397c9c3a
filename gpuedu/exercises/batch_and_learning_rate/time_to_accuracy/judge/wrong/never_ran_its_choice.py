# loses: best
# asks: Are batch and rate of the same run? What was not run is a guess.
def search(run, batches, rates, budget):
    run(64, rates[0])
    return 64, rates[len(rates) // 2]
