# loses: once
def search(run, batches, rates, budget):
    row, column, left = len(batches) // 2, 1, budget
    best, time = (row, column), run(batches[row], rates[column])
    left -= 1
    while left:
        moved = False
        for i, j in [(0, 1), (1, 1), (-1, -1), (0, -1), (1, 0), (-1, 0)]:
            new = best[0] + i, best[1] + j
            if left and 0 <= new[0] < len(batches) and 0 <= new[1] < len(rates):
                left -= 1
                found = run(batches[new[0]], rates[new[1]])
                if found < time:
                    best, time, moved = new, found, True
                    break
        if not moved:
            break
    return batches[best[0]], rates[best[1]]
