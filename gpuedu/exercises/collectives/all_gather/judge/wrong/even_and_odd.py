# loses: at-once
# asks: A rank that sends, then receives, uses one direction of its links at a time. Begin to
#   send with `isend`, receive while that is under way, and call `wait()` afterwards.
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(ranks - 1):
        out, into = chunks[(rank - step) % ranks], chunks[(rank - step - 1) % ranks]
        if rank % 2 == 0:
            dist.send(out, (rank + 1) % ranks)
            dist.recv(into, (rank - 1) % ranks)
        else:
            dist.recv(into, (rank - 1) % ranks)
            dist.send(out, (rank + 1) % ranks)
