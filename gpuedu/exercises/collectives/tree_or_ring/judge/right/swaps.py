# whole tensors swapped between pairs, which needs no way down
def tree_schedule(ranks, size_bytes):
    most = 1
    while 2 * most <= ranks:
        most *= 2
    extra = [(rank, rank - most, size_bytes) for rank in range(most, ranks)]
    rounds, gap = [extra] if extra else [], 1
    while gap < most:
        rounds.append([(rank, rank ^ gap, size_bytes) for rank in range(most)])
        gap *= 2
    back = [(dst, src, size) for src, dst, size in extra]
    return rounds + ([back] if back else [])
