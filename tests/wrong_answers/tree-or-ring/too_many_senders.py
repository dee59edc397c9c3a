# loses: sum
# every rank sends in every round, and numbers come twice
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        up.append([(r + gap, r, size_bytes) for r in range(ranks - gap)])
        gap *= 2
    return up + [[(b, a, s) for a, b, s in messages] for messages in up[::-1]]
