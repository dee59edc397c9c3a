# finds the valley of one batch, then follows it to larger and to smaller batches
def search(run, batches, rates, budget):
    seen = {}

    def time(row, column):
        if (row, column) not in seen and len(seen) < budget:
            seen[row, column] = run(batches[row], rates[column])
        return seen.get((row, column), float("inf"))

    def bottom(row, column):
        while time(row, column) == float("inf") and column > 0:
            column -= 1
        while column + 1 < len(rates) and time(row, column + 1) < time(row, column):
            column += 1
        while column > 0 and time(row, column - 1) < time(row, column):
            column -= 1
        return column

    middle = len(batches) // 2
    start = bottom(middle, len(rates) // 2)
    for way in (1, -1):
        row, column = middle, start
        while 0 <= row + way < len(batches):
            new = bottom(row + way, column)
            if time(row + way, new) >= time(row, column):
                break
            row, column = row + way, new
    row, column = min(seen, key=seen.get)
    return batches[row], rates[column]
