# loses: sum
# asks: Rank 0 has the sum. How does it come to the others?
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        up.append([(r + gap, r, size_bytes) for r in range(0, ranks - gap, 2 * gap)])
        gap *= 2
    return up
