# all chunks are rounded down, and the last one has the rest
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    size, rest = divmod(x.numel(), ranks)
    chunks = x.view(-1).split([size] * (ranks - 1) + [size + rest])
    for step in range(1, 2 * ranks - 1):
        out, into = chunks[(rank - step) % ranks], chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(out, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)
