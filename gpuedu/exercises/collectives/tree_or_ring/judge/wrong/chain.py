# loses: rounds
# asks: One message a round: everybody else waits. Which ranks could send at the same time?
def tree_schedule(ranks, size_bytes):
    up = [[(rank, rank - 1, size_bytes)] for rank in range(ranks - 1, 0, -1)]
    return up + [[(rank - 1, rank, size_bytes)] for rank in range(1, ranks)]
