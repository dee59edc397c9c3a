# loses: halos
# even ranks send first, odd ones too late: no partner at the end
def swap_halos(piece, above, below):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    if rank % 2 == 0:
        dist.send(piece[-1], rank + 1)
        dist.recv(below, rank + 1)
    else:
        dist.recv(above, rank - 1)
        dist.send(piece[0], rank - 1)
