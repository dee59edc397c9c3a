# loses: ragged
# works on all sizes but those below the number of ranks
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    row = x.view(-1)
    size = -(-row.numel() // ranks)
    chunks = row.split(size)
    for step in range(1, 2 * ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)
