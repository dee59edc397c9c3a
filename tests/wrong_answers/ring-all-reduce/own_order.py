# loses: same-bits
# hands whole tensors round: each rank adds them in its own order
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
