# loses: best
# asks: The last one is not always the best one.
def search(run, batches, rates, budget):
    seen, row, column = {}, len(batches) // 2, len(rates) // 2
    while len(seen) < budget:
        last = batches[row], rates[column]
        seen[row, column] = run(*last)
        row, column = min(seen, key=seen.get)
        around = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        fresh = [
            (i, j)
            for i, j in around
            if 0 <= i < len(batches) and 0 <= j < len(rates) and (i, j) not in seen
        ]
        if not fresh:
            break
        row, column = fresh[0]
    return last
