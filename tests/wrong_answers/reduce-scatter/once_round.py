# loses: bytes
# n steps: a chunk goes round until it is back where it began
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if ranks == 1:
        return
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks + 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        if step < ranks:
            into += got
