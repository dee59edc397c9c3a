# loses: sum
# asks: Chunk 0 there holds rank 1's, nothing of rank 0's. Who adds what to it, in which step?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.view(-1).tensor_split(ranks)
    for first, adds in ((1, True), (-1, False)):
        for step in range(ranks - 1):
            at = rank - first - step
            into = chunks[(at - 1) % ranks]
            got = torch.empty_like(into)
            sending = dist.isend(chunks[at % ranks], (rank + 1) % ranks)
            dist.recv(got, (rank - 1) % ranks)
            sending.wait()
            into.copy_(into + got if adds else got)
