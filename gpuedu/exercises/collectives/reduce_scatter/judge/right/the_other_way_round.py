# to the rank before, and from the next one
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks):
        into = chunks[(rank + step + 1) % ranks]
        got = torch.empty_like(into)
        receiving = dist.irecv(got, (rank + 1) % ranks)
        dist.send(chunks[(rank + step) % ranks], (rank - 1) % ranks)
        receiving.wait()
        into.add_(got)
