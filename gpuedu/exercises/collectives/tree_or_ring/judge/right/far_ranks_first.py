# the tree that pairs ranks far apart first
def tree_schedule(ranks, size_bytes):
    down, have = [], 1
    while have < ranks:
        down.append([(r, r + have, size_bytes) for r in range(min(have, ranks - have))])
        have *= 2
    return [[(b, a, s) for a, b, s in messages] for messages in down[::-1]] + down
