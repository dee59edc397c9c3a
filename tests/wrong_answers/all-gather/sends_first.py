# loses: everything
# all send, then all receive
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(ranks - 1):
        dist.send(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(chunks[(rank - step - 1) % ranks], (rank - 1) % ranks)
