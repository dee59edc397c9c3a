# loses: bytes
# asks: Whole tensors go to one rank and back, added up there or on the way, and most links stand
#   idle. Which part of its tensor could each rank send in the first step?
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
