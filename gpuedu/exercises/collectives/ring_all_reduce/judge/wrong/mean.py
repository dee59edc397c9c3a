# loses: sum
# asks: Chunk 0 there holds the mean, the sum divided by 2. Who adds what to it, in which step?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.view(-1).tensor_split(ranks)
    for step in range(1, 2 * ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)
    x /= ranks
