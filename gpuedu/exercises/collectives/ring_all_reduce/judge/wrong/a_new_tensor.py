# loses: in-place
# asks: `x` is as it was on all ranks, although something was received: into a copy? The sum has
#   to be in `x`: change it in place (`x += ...`, `x.copy_(...)`, or a receive into a view of
#   it).
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if x.dim() > 1:
        x = x.flatten().clone()
    chunks = x.tensor_split(ranks)
    for step in range(1, 2 * ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)
