# loses: bytes
# asks: Each rank sends straight to the rank that needs a chunk. Through which ranks does a chunk go in
#   a ring?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.view(-1).tensor_split(ranks)
    for adds in (True, False):
        for step in range(1, ranks):
            to, source = (rank + step) % ranks, (rank - step) % ranks
            into = chunks[rank if adds else source]
            got = torch.empty_like(into)
            sending = dist.isend(chunks[to if adds else rank], to)
            dist.recv(got, source)
            sending.wait()
            into.copy_(into + got if adds else got)
