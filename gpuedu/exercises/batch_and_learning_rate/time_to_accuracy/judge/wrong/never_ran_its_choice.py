# loses: best
# asks: That pair was never run, so its time is a guess. Which time of a run belongs to it?
def search(run, batches, rates, budget):
    run(64, rates[0])
    return 64, rates[len(rates) // 2]
