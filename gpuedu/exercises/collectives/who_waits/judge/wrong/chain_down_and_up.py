# loses: at-once
# asks: That takes as long as messages from each rank to the next, one after another. How many pairs of
#   neighbors could swap at the same time?
def swap_halos(piece, above, below):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    if rank > 0:
        dist.recv(above, rank - 1)
    if rank < last:
        dist.send(piece[-1], rank + 1)
        dist.recv(below, rank + 1)
    if rank > 0:
        dist.send(piece[0], rank - 1)
