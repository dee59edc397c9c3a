# begins with its own chunk, and ends with that of the next rank
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.view(-1).tensor_split(ranks)

    def pass_on(out, into):
        handles = [dist.irecv(into, (rank - 1) % ranks), dist.isend(out, (rank + 1) % ranks)]
        for handle in handles:
            handle.wait()

    for step in range(ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        pass_on(chunks[(rank - step) % ranks], got)
        into.add_(got)
    for step in range(ranks - 1):
        pass_on(chunks[(rank + 1 - step) % ranks], chunks[(rank - step) % ranks])
