# loses: halos
# asks: That is the other edge of the neighbour's piece: which row lies next to yours?
def swap_halos(piece, above, below):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    sending = []
    if rank > 0:
        sending.append(dist.isend(piece[-1], rank - 1))
    if rank < last:
        sending.append(dist.isend(piece[0], rank + 1))
    if rank > 0:
        dist.recv(above, rank - 1)
    if rank < last:
        dist.recv(below, rank + 1)
    for one in sending:
        one.wait()
