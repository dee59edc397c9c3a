# loses: everything
# begins all sends before anything has arrived
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    handles = []
    for step in range(ranks - 1):
        handles.append(dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks))
        handles.append(dist.irecv(chunks[(rank - step - 1) % ranks], (rank - 1) % ranks))
    for handle in handles:
        handle.wait()
