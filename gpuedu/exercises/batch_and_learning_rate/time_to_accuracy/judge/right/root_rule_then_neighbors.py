# the root rule gives a first guess for every batch; then the best one's neighbors
def search(run, batches, rates, budget):
    seen, middle = {}, len(batches) // 2

    def look(row, column):
        inside = 0 <= row < len(batches) and 0 <= column < len(rates)
        if inside and (row, column) not in seen and len(seen) < budget:
            seen[row, column] = run(batches[row], rates[column])

    for column in range(1, len(rates), 2):
        look(middle, column)
    best = min(seen, key=seen.get)[1]
    look(middle, best - 1)
    look(middle, best + 1)
    best = min(seen, key=seen.get)[1]
    for row in range(len(batches)):
        look(row, best + round((row - middle) / 2))
    while True:
        before, (row, column) = len(seen), min(seen, key=seen.get)
        for i, j in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]:
            look(row + i, column + j)
        if len(seen) == before:
            return batches[row], rates[column]
