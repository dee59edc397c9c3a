# every second rate of the middle batch, then downhill
def search(run, batches, rates, budget):
    seen = {}

    def look(row, column):
        inside = 0 <= row < len(batches) and 0 <= column < len(rates)
        if inside and (row, column) not in seen and len(seen) < budget:
            seen[row, column] = run(batches[row], rates[column])

    for column in range(0, len(rates), 2):
        look(len(batches) // 2, column)
    while True:
        before, best = len(seen), min(seen, key=seen.get)
        for i, j in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]:
            look(best[0] + i, best[1] + j)
            if min(seen, key=seen.get) != best:
                break
        if len(seen) == before:
            return batches[best[0]], rates[best[1]]
