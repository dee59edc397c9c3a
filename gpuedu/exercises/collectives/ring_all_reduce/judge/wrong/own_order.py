# loses: same-bits
# asks: Both are the sum, rounded in another order. Models that start equal would drift apart.
#   Who adds up an element, and who gets a copy of that?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    out = x.clone()
    for step in range(1, ranks):
        got = torch.empty_like(x)
        sending = dist.isend(out, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x += got
        out = got
