# loses: sum
# asks: Rank 2 never sends. Does your schedule take 3 for a power of 2? In a tree some ranks
#   have no partner in a round, and wait for the next one.
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while 2 * gap <= ranks:
        up.append(
            [(r + gap, r, size_bytes) for r in range(0, ranks // (2 * gap) * 2 * gap, 2 * gap)]
        )
        gap *= 2
    return up + [[(b, a, s) for a, b, s in messages] for messages in up[::-1]]
