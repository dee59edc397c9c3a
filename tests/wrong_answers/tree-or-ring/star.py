# loses: rounds
# all send to rank 0, which sends it back
def tree_schedule(ranks, size_bytes):
    up = [(rank, 0, size_bytes) for rank in range(1, ranks)]
    return [up, [(0, rank, size_bytes) for rank in range(1, ranks)]]
