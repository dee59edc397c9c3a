# loses: sum
# x stays as it was
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = list(x.tensor_split(ranks))
    for step in range(1, ranks):
        at = (rank - step - 1) % ranks
        got = torch.empty_like(chunks[at])
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        chunks[at] = chunks[at] + got
    return chunks[rank]
