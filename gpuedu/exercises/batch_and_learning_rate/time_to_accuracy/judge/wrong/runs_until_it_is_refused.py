# loses: budget
# asks: Where do you count them? One function that all runs go through can refuse.
def search(run, batches, rates, budget):
    seen = {}
    try:
        for batch in batches:
            for rate in rates:
                seen[batch, rate] = run(batch, rate)
    except Exception:
        pass
    return min(seen, key=seen.get)
