# few batches with every third rate, then around the best
def search(run, batches, rates, budget):
    seen = {}

    def look(row, column):
        inside = 0 <= row < len(batches) and 0 <= column < len(rates)
        if inside and (row, column) not in seen and len(seen) < budget:
            seen[row, column] = run(batches[row], rates[column])

    for row in (1, 4, 6):
        for column in range(1, len(rates), 3):
            look(row, column)
    before = 0
    while before < len(seen):
        before = len(seen)
        row, column = min(seen, key=seen.get)
        for i, j in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]:
            look(row + i, column + j)
    row, column = min(seen, key=seen.get)
    return batches[row], rates[column]
