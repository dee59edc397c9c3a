# loses: bytes
# asks: `tensor_split` of a tensor with several dimensions cuts its first one: whole rows. Do
#   you make a single row of `x` first?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(1, 2 * ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)
