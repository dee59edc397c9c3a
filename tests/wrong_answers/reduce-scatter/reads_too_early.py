# loses: sum
# adds what has not arrived yet
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
