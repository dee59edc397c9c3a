# loses: halos
# what was begun to send is not waited for
def swap_halos(piece, above, below):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    if rank > 0:
        dist.isend(piece[0], rank - 1)
    if rank < last:
        dist.isend(piece[-1], rank + 1)
    if rank > 0:
        dist.recv(above, rank - 1)
    if rank < last:
        dist.recv(below, rank + 1)
