# loses: ring
# asks: All chunks go to one rank, which sends whole tensors to all others while they wait. Which rank
#   could have passed on a chunk meanwhile?
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
