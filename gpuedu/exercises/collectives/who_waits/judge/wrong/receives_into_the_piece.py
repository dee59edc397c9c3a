# loses: halos
# asks: The piece itself should stay as it is. What do you receive into?
def swap_halos(piece, above, below):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    first, end = piece[0].clone(), piece[-1].clone()
    sending = []
    if rank > 0:
        sending.append(dist.isend(first, rank - 1))
    if rank < last:
        sending.append(dist.isend(end, rank + 1))
    if rank > 0:
        dist.recv(piece[0], rank - 1)
        above.copy_(piece[0])
    if rank < last:
        dist.recv(piece[-1], rank + 1)
        below.copy_(piece[-1])
    for one in sending:
        one.wait()
