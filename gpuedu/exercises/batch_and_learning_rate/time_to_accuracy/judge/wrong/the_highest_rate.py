# loses: small
# asks: None of the runs got there. Where do you go when a rate is too high, or too low?
def search(run, batches, rates, budget):
    run(batches[0], rates[-1])
    return batches[0], rates[-1]
