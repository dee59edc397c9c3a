# loses: ring
# sends all of x in every step, and takes what is new
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for step in range(ranks - 1):
        got = torch.empty_like(x)
        sending = dist.isend(x, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x.copy_(torch.where(x.isnan(), got, x))
