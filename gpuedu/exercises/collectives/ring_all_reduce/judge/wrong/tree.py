# loses: bytes
# asks: Rank 1 sends 24000 bytes to rank 0 at once, and a chunk has 8000. Which part of the
#   tensor does a step need?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    step = 1
    while step < ranks:
        if rank % (2 * step) == step:
            dist.send(x, rank - step)
        elif rank % (2 * step) == 0 and rank + step < ranks:
            got = torch.empty_like(x)
            dist.recv(got, rank + step)
            x += got
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == step:
            dist.recv(x, rank - step)
        elif rank % (2 * step) == 0 and rank + step < ranks:
            dist.send(x, rank + step)
