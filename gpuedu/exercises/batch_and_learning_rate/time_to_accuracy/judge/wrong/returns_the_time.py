# loses: best
# seconds in place of the pair
def search(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    return min(run(middle, rate) for rate in rates[:budget])
