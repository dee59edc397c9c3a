# loses: halos
# asks: The ranks stand in a line, not in a ring: the first has nobody above it, the last nobody
#   below, and what they got stays as it was.
def swap_halos(piece, above, below):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if ranks == 1:
        return
    up, down = (rank - 1) % ranks, (rank + 1) % ranks
    sending = [dist.isend(piece[-1], down, tag=1), dist.isend(piece[0], up, tag=2)]
    dist.recv(above, up, tag=1)
    dist.recv(below, down, tag=2)
    for one in sending:
        one.wait()
