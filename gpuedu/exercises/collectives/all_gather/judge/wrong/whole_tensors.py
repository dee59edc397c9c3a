# loses: ring
# asks: A whole tensor goes to the next rank in each step. Which part of it does that rank need?
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for step in range(ranks - 1):
        got = torch.empty_like(x)
        sending = dist.isend(x, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x.copy_(torch.where(x.isnan(), got, x))
