# loses: rounds
# asks: In round 0, rank 0 receives 3 messages. They go through one port, one behind the other.
#   Who else could take some?
def tree_schedule(ranks, size_bytes):
    up = [(rank, 0, size_bytes) for rank in range(1, ranks)]
    return [up, [(0, rank, size_bytes) for rank in range(1, ranks)]]
