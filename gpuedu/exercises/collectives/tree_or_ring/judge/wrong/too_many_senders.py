# loses: sum
# asks: Who receives adds, and cannot take apart what it got: each rank's numbers must come on
#   one path only. Who has already sent theirs away?
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        up.append([(r + gap, r, size_bytes) for r in range(ranks - gap)])
        gap *= 2
    return up + [[(b, a, s) for a, b, s in messages] for messages in up[::-1]]
