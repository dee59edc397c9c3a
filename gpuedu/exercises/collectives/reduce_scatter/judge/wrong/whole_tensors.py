# loses: bytes
# asks: A whole tensor goes to the next rank in each step. Which part of it does that rank need?
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    out = x.clone()
    for step in range(1, ranks):
        got = torch.empty_like(x)
        sending = dist.isend(out, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x += got
        out = got
