# loses: small
# downhill from a coarse sweep, batch alone or rate alone: never both at once
def search(run, batches, rates, budget):
    seen = {}

    def look(row, column):
        seen[row, column] = run(batches[row], rates[column])

    for column in list(range(1, len(rates), 3))[:budget]:
        look(len(batches) // 2, column)
    while len(seen) < budget:
        row, column = min(seen, key=seen.get)
        for i, j in [(0, 1), (0, -1), (1, 0), (-1, 0)]:
            new = row + i, column + j
            inside = 0 <= new[0] < len(batches) and 0 <= new[1] < len(rates)
            if inside and new not in seen:
                look(*new)
                break
        else:
            break
    row, column = min(seen, key=seen.get)
    return batches[row], rates[column]
