# loses: ring
# asks: Which rank needs what you send? In a ring everything for ranks further on goes through
#   the next one.
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks):
        source = (rank - step) % ranks
        sending = dist.isend(chunks[rank], (rank + step) % ranks)
        dist.recv(chunks[source], source)
        sending.wait()
