# loses: ring
# asks: Rank 0 sends 16000 bytes to rank 1 at once, and a chunk has 8000. Which part of the
#   tensor does a step need?
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for step in range(ranks - 1):
        got = torch.empty_like(x)
        sending = dist.isend(x, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x.copy_(torch.where(x.isnan(), got, x))
