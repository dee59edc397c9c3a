# loses: ring
# asks: Rank 0 sends 16000 bytes to rank 1 at once, and a chunk has 8000. Which part of the
#   tensor does a step need?
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for other in range(1, ranks):
        if rank == other:
            dist.send(chunks[rank], 0)
            dist.recv(x, 0)
        elif rank == 0:
            dist.recv(chunks[other], other)
    if rank == 0:
        for other in range(1, ranks):
            dist.send(x, other)
