# loses: everything
# adds what arrives, as in the reduce-scatter
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into += got
