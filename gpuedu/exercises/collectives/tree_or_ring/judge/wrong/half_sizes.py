# loses: sum
# asks: A message is `(from, to, bytes)`, of the whole tensor.
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        up.append([(r + gap, r, size_bytes // 2) for r in range(0, ranks - gap, 2 * gap)])
        gap *= 2
    return up + [[(b, a, s) for a, b, s in messages] for messages in up[::-1]]
