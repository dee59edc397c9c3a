# loses: at-once
# asks: Rank 1 sends 16000 bytes to rank 0 at once, and a chunk has 8000. Which part of the
#   tensor does a step need?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if rank > 0:
        dist.send(x, 0)
        dist.recv(x, 0)
        return
    for other in range(1, ranks):
        got = torch.empty_like(x)
        dist.recv(got, other)
        x += got
    for other in range(1, ranks):
        dist.send(x, other)
