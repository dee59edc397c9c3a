# loses: budget
def search(run, batches, rates, budget):
    seen = {}
    try:
        for batch in batches:
            for rate in rates:
                seen[batch, rate] = run(batch, rate)
    except Exception:
        pass
    return min(seen, key=seen.get)
