# loses: rounds
# asks: How many ranks still have something to send after each round? It should be half of them.
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        up.append([(r + gap, r, size_bytes) for r in range(0, ranks - gap, 2 * gap)])
        gap *= 2
    return up + [[(0, r, size_bytes)] for r in range(1, ranks)]
