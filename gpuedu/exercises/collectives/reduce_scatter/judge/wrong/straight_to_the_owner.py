# loses: neighbours
# asks: Which rank needs what you send? In a ring everything for ranks further on goes through
#   the next one.
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks):
        to, source = (rank + step) % ranks, (rank - step) % ranks
        got = torch.empty_like(chunks[rank])
        sending = dist.isend(chunks[to], to)
        dist.recv(got, source)
        sending.wait()
        chunks[rank].add_(got)
