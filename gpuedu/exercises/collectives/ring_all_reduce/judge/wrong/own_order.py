# loses: same-bits
# asks: Whole tensors go around, and each rank adds them up in another order. Which rank should add up
#   an element, and who gets a copy of that?
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
