# loses: middle
# halves intervals, and so runs what is not on the list
def search(run, batches, rates, budget):
    low, high, batch = rates[0], rates[-1], batches[len(batches) // 2]
    times = {}
    for _ in range(budget):
        middle = (low * high) ** 0.5
        times[batch, middle] = run(batch, middle)
        low, high = (low, middle) if times[batch, middle] == float("inf") else (middle, high)
    return min(times, key=times.get)
