# loses: sum
# asks: It was read, or sent on, before it had arrived: until a receive is done, its tensor
#   means nothing (NaN, here). Which `wait()` is missing, or which receive?
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        handles = [
            dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks),
            dist.irecv(got, (rank - 1) % ranks),
        ]
        into += got
        for handle in handles:
            handle.wait()
