# loses: sum
# asks: `x` is as it was on all ranks, although something was received: into a copy? The sum has
#   to be in `x`: change it in place (`x += ...`, `x.copy_(...)`, or a receive into a view of
#   it).
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
